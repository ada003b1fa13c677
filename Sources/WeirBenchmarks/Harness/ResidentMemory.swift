#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory of this process that is in RAM, as the kernel counts it: whole pages.
enum ResidentMemory {
  static func kibibytes() throws(BenchmarkError) -> Double {
    let path = "/proc/self/statm"
    guard let file = fopen(path, "r") else { throw .unreadable(path: path) }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 256)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { throw .unreadable(path: path) }
    let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Double(fields[1]) else { throw .unreadable(path: path) }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1024
  }
}
