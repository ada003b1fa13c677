import WeirRadio

/// Faults as words: `a:send:3:late`.
enum FaultText {
  static let names = ["a", "b"]
  static let sends: [String: SendFault] = [
    "unreported": .noReport, "late": .lateReport(.seconds(2)), "twice": .doubleReport, "fails": .fails,
    "sticks": .sticks, "resets": .resets,
  ]
  static let commands: [String: CommandFault] = [
    "refused": .refuses, "silent": .isSilent, "late": .isLate(.seconds(2)), "wrong": .wrongValue("0"),
    "resets": .resets, "closes": .closesLine,
  ]

  /// What is accepted, for help and errors.
  static var form: String {
    "MODEM:send:N:WHAT or MODEM:command:N:WHAT, where MODEM is a or b, N counts from 0, and WHAT is of a frame "
      + "\(sends.keys.sorted().joined(separator: ", ")), of a command \(commands.keys.sorted().joined(separator: ", "))"
  }

  /// Adds a fault to the script of its modem.
  static func add(_ text: String, to scripts: inout [FaultScript], path: [String]) throws(UsageError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    if parts.count == 4, let modem = names.firstIndex(of: parts[0]), let number = Int(parts[2]), number >= 0 {
      if parts[1] == "send", let fault = sends[parts[3]] {
        scripts[modem].sends[number] = fault
        return
      }
      if parts[1] == "command", let fault = commands[parts[3]] {
        scripts[modem].commands[number] = fault
        return
      }
    }
    throw UsageError(
      code: "usage.bad-value", message: "--fault \(printable(text)): expected \(form)", path: path)
  }
}
