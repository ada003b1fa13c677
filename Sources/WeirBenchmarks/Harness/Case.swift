/// One thing that is measured: a way of doing a piece of work.
struct Case: Sendable {
  /// What the reading of a case means.
  enum Unit: String, Sendable {
    case perElement = "ns/element"
    case perCall = "ns/call"
    case perRoundTrip = "ns/round trip"
    case kibibytes = "KiB"
    case perByte = "ns/byte"
    case bytes = "bytes/message"
    case bytesPerID = "bytes/id"
    case limit = "of the limit"
    case jain = "(Jain)"
    case air = "of the air"
    case frames = "of the frames"
    case raw = "of the text"
    case seconds = "s"
    case runs = "of the runs"
  }

  let name: String
  let unit: Unit
  /// Elements, calls or round trips of one round at full size.
  let count: Int
  /// The same for `--full`, where a case has a larger size than one waits for every time.
  let fullCount: Int?
  /// Does the work once for a number of elements, and gives the reading in ``unit``.
  let measure: @Sendable (Int) async throws -> Double

  init(
    _ name: String, unit: Unit, count: Int, full: Int? = nil,
    measure: @escaping @Sendable (Int) async throws -> Double
  ) {
    self.name = name
    self.unit = unit
    self.count = count
    fullCount = full
    self.measure = measure
  }

  /// A case that is timed as a whole, set-up included.
  /// - Parameters:
  ///   - expecting: what the work must give, so that nothing is measured that does not do the work.
  ///   - work: does the work for a number of elements.
  static func timed(
    _ name: String, unit: Unit = .perElement, count: Int, expecting: (@Sendable (Int) -> Int)? = nil,
    _ work: @escaping @Sendable (Int) async throws -> Int
  ) -> Case {
    Case(name, unit: unit, count: count) { count in
      let start = ContinuousClock.now
      let result = try await work(count)
      let elapsed = ContinuousClock.now - start
      if let expected = expecting?(count), expected != result {
        throw BenchmarkError.wrongResult(name: name, expected: expected, result: result)
      }
      return elapsed.nanoseconds / Double(count)
    }
  }
}

extension Duration {
  var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
}

/// A benchmark could not be run or trusted.
enum BenchmarkError: Error, CustomStringConvertible {
  case wrongResult(name: String, expected: Int, result: Int)
  case unknownOption(String)
  case badValue(option: String)
  case noMatch(filter: String)
  case unreadable(path: String)
  case peer(String)

  var description: String {
    switch self {
    case .wrongResult(let name, let expected, let result):
      "\"\(name)\" gave \(result) instead of \(expected): it does not do the work it is measured for"
    case .unknownOption(let option): "\(option) is not an option; --help lists them"
    case .badValue(let option): "\(option) needs a value; --help shows which"
    case .noMatch(let filter): "no family or case matches \"\(filter)\"; --list shows their names"
    case .peer(let message): "what we are compared with failed: \(message)"
    case .unreadable(let path): "\(path) cannot be read; the memory benchmarks need Linux"
    }
  }
}
