#if canImport(Glibc)
  import CAllocator
#endif

/// What the allocator has given out and not got back, in every arena: other than resident pages it does not depend on what
/// ran before.
enum AllocatedMemory {
  static func kibibytes() -> Double {
    #if canImport(Glibc)
      let info = mallinfo2()
      return Double(info.uordblks + info.hblkhd) / 1024
    #else
      return .nan
    #endif
  }
}
