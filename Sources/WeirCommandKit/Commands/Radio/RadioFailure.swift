import WeirRadio

/// An error of the radio as the end of a command.
struct RadioFailure: CommandError {
  let error: RadioError

  init(_ error: RadioError) { self.error = error }

  var code: String { error.code }
  var message: String { printable(error.message) }

  var remedy: String? {
    switch error.kind {
    case .busy: "Let the other program end, or name another terminal."
    case .linkLost: "Check that the modem is there and that its terminal may be read and written."
    case .commandTimedOut, .sendTimedOut, .modemReset:
      "Check --dialect and --baud, and whether the modem has power; then run the same command again."
    case .commandFailed: "Check --dialect, and whether this modem knows the command."
    default: nil
    }
  }

  var exitCode: ExitCode {
    switch error.kind {
    case .linkLost: .noInput
    case .badModulation, .badFrequency, .badOptions, .badCommand, .frameTooLong: .usage
    case .busy, .sendFailed, .sendTimedOut, .commandTimedOut, .modemReset, .quarantined: .temporary
    case .commandFailed, .ledgerFailed: .inputOutput
    case .leaseEnded, .stopped: .internalFault
    }
  }
}
