import WeirRadio

/// Why a file was not sent or received, beyond what the modem's line reports itself.
enum TransferFailure: CommandError {
  /// No key was given.
  case keyMissing
  /// A key that is none.
  case keyMalformed(place: String)
  /// A file cannot be read.
  case unreadable(path: String, SystemFault)
  /// A file has more bytes than fit.
  case tooLong(path: String, most: Int)
  /// A file without content cannot be sent.
  case empty(path: String)
  /// A file cannot be written.
  case unwritable(path: String, SystemFault)
  /// The other end gave up.
  case cancelledByPeer
  /// The receiver said why it does not take the file.
  case refused(TransferRefusal)
  /// The transfer failed.
  case failed(FileTransferError)
  /// The file is there, and the radio could not be put back as it was.
  case notRestored(FileTransferError)

  var code: String {
    switch self {
    case .keyMissing: "key.missing"
    case .keyMalformed: "key.malformed"
    case .unreadable: "input.unreadable"
    case .tooLong: "input.too-long"
    case .empty: "input.empty"
    case .unwritable: "output.cannot-create"
    case .cancelledByPeer: "transfer.cancelled-by-peer"
    case .refused: "transfer.refused"
    case .failed(let error): error.code
    case .notRestored: "transfer.not-restored"
    }
  }

  var message: String {
    switch self {
    case .keyMissing: "there is no key"
    case .keyMalformed(let place): "the key in \(place) is not 32 hexadecimal digits"
    case .unreadable(let path, let fault): "\(printable(path)) cannot be read: \(fault)"
    case .tooLong(let path, let most): "\(printable(path)) has more than \(Humane.count(most)) bytes"
    case .empty(let path): "\(printable(path)) is empty"
    case .unwritable(let path, let fault): "cannot write \(printable(path)): \(fault)"
    case .cancelledByPeer: "the other end gave up"
    case .refused(let reason): "the receiver does not take the file: \(reason)"
    case .failed(let error): printable("\(error)".replacingCode(error.code))
    case .notRestored(let error):
      "the file is there, but the modem is not as it was before: " + printable("\(error)".replacingCode(error.code))
    }
  }

  var remedy: String? {
    switch self {
    case .keyMissing: "Name a file with --key-file, or set \(TransferKey.variable)."
    case .keyMalformed: "Both ends need the same 16 bytes; 'openssl rand -hex 16' makes such a key."
    case .tooLong(_, FileTransferSendRequest.maximumLength): "Split it; one transfer carries no more."
    case .unwritable: "Check that the folder exists, may be written to, and has room."
    case .failed(.timeout), .failed(.retryExceeded):
      "Check that the other end runs, and with the same key and rate; then run the same command again: it goes on where it "
        + "stopped."
    case .failed(.transport), .failed(.busy), .refused(.busy), .cancelledByPeer:
      "Run the same command again: it goes on where it stopped."
    case .failed(.cryptoFailure): "Check that both ends have the same key."
    case .notRestored: "Switch the modem off and on, and set it up again."
    default: nil
    }
  }

  var exitCode: ExitCode {
    switch self {
    case .keyMissing: .usage
    case .unreadable: .noInput
    case .keyMalformed, .tooLong, .empty: .dataRefused
    case .unwritable(_, let fault): fault.isTemporary ? .temporary : .cannotCreate
    case .cancelledByPeer, .refused: .temporary
    case .failed(let error):
      switch error {
      case .invalidDataLength, .invalidControlKey, .invalidTarget, .protocolMalformed, .crcMismatch, .cryptoFailure:
        .dataRefused
      case .busy, .timeout, .retryExceeded: .temporary
      case .notConnected, .notAuthenticated, .transport: .inputOutput
      case .internalFailure: .internalFault
      }
    case .notRestored: .inputOutput
    }
  }
}

extension String {
  /// Without the code that stands before it, since a command prints that itself.
  fileprivate func replacingCode(_ code: String) -> String {
    hasPrefix(code + ": ") ? String(dropFirst(code.utf8.count + 2)) : self
  }
}
