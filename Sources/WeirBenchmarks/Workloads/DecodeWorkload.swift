import WeirChat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Lines into messages: how many bytes a second, beside Foundation's decoder on the same lines. Both read every line into
/// strings and numbers; ours also checks what it skips, keeps the element as delivered and makes the conversation's id.
let decode = Family(
  name: "decode", title: "JSON lines into messages",
  cases: [
    bytes("OpenIMCallbackDecoder", count: 40_000) { lines in
      let decoder = OpenIMCallbackDecoder(account: "7315502264")
      var sum = 0
      for line in lines {
        guard case .message(let message) = try decoder.decode(line) else { continue }
        sum &+= Int(message.envelope.seq)
      }
      return sum
    },
    bytes("JSONDecoder", count: 4_000) { lines in
      let decoder = JSONDecoder()
      var sum = 0
      for line in lines { sum &+= Int(try decoder.decode(CodableMessage.self, from: Data(line)).seq) }
      return sum
    },
  ],
  comparisons: [.speedup("OpenIMCallbackDecoder", over: "JSONDecoder", goal: 3)])

/// A case whose reading is the time of one byte; the lines are made before the clock runs.
private func bytes(
  _ name: String, count: Int, _ work: @escaping @Sendable ([[UInt8]]) throws -> Int
) -> Case {
  Case(name, unit: .perByte, count: count) { count in
    let lines = ChatLines.callbacks(count)
    let total = lines.reduce(0) { $0 + $1.count }
    let start = ContinuousClock.now
    let sum = try work(lines)
    let elapsed = ContinuousClock.now - start
    let expected = count * (count + 1) / 2
    guard sum == expected else { throw BenchmarkError.wrongResult(name: name, expected: expected, result: sum) }
    return elapsed.nanoseconds / Double(total)
  }
}
