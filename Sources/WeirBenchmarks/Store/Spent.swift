#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a piece of work took: nanoseconds by the clock, nanoseconds of processor time of the whole process, kernel included,
/// and bytes handed to the kernel to write.
struct Spent {
  /// Which of them is meant.
  enum Part: Sendable {
    case wall, processor, written
  }

  private(set) var wall = 0.0
  private(set) var processor = 0.0
  private(set) var written = 0.0

  init(_ work: () async throws -> Void) async throws {
    let (bytes, used, start) = (try Self.writtenBytes(), Self.processorNanoseconds(), ContinuousClock.now)
    try await work()
    wall = (ContinuousClock.now - start).nanoseconds
    processor = Self.processorNanoseconds() - used
    written = Double(try Self.writtenBytes() - bytes)
  }

  subscript(part: Part) -> Double {
    switch part {
    case .wall: wall
    case .processor: processor
    case .written: written
    }
  }

  private static func processorNanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// Bytes that this process has handed to the kernel.
  private static func writtenBytes() throws -> Int {
    let path = "/proc/self/io"
    guard let text = FileManager.default.contents(atPath: path).map({ String(decoding: $0, as: UTF8.self) }),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("wchar:") }),
      let number = Int(line.dropFirst("wchar: ".count))
    else { throw BenchmarkError.unreadable(path: path) }
    return number
  }
}
