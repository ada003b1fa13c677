/// Why a store cannot be looked into, beyond what the store itself reports.
enum InspectError: CommandError, Equatable {
  /// There is no such file.
  case missing(path: String)
  /// It is a directory, a pipe or a device.
  case notAFile(path: String)
  /// It may not be read.
  case unreadable(path: String)
  /// It holds nothing.
  case empty(path: String)
  /// Another program goes on changing it in a way that cannot be followed.
  case changing(path: String)
  /// The store knows nothing of the conversation.
  case unknownConversation(String)
  /// The store knows nothing of the message.
  case unknownMessage(String, conversation: String?)

  var code: String {
    switch self {
    case .missing: "store.missing"
    case .notAFile: "store.not-a-file"
    case .unreadable: "store.unreadable"
    case .empty: "store.empty"
    case .changing: "store.changing"
    case .unknownConversation: "inspect.unknown-conversation"
    case .unknownMessage: "inspect.unknown-message"
    }
  }

  var message: String {
    switch self {
    case .missing(let path): "the store \(printable(path)) does not exist"
    case .notAFile(let path): "\(printable(path)) is no regular file"
    case .unreadable(let path): "the store \(printable(path)) may not be read"
    case .empty(let path): "\(printable(path)) is empty: nothing was ever stored in it"
    case .changing(let path): "the store \(printable(path)) changes faster than it can be read"
    case .unknownConversation(let id): "the store knows nothing of a conversation \(printable(id))"
    case .unknownMessage(let id, nil): "the store knows nothing of a message \(printable(id))"
    case .unknownMessage(let id, let place?):
      "the store knows nothing of a message \(printable(id)) in \(printable(place))"
    }
  }

  var remedy: String? {
    switch self {
    case .missing, .notAFile: "Name the SQLite file that 'weir replay' made."
    case .unreadable: "Check its permissions."
    case .empty: nil
    case .changing: "Run the same command again."
    case .unknownConversation: "'weir inspect STORE' lists the conversations."
    case .unknownMessage: "Ids are those of the sender's client (clientMsgID); --conversation ID prints those of one."
    }
  }

  var exitCode: ExitCode {
    switch self {
    case .missing, .notAFile, .unreadable, .unknownConversation, .unknownMessage: .noInput
    case .empty: .dataRefused
    case .changing: .temporary
    }
  }
}
