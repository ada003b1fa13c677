/// Why a replay cannot start or go on, beyond what its files and its store report themselves.
enum ReplayError: CommandError, Equatable {
  /// The input is no text, and plainly something else.
  case binaryInput(path: String, BinaryHint)
  /// Another replay writes to the store.
  case storeInUse(path: String, by: Int?)
  /// The lock beside the store cannot be taken.
  case cannotLock(path: String, SystemFault)
  /// One file is named for two purposes.
  case sameFile(path: String, purpose: String)
  /// SQLite would take the name of the store for something else than a file, and keep nothing.
  case noFile(path: String)

  var code: String {
    switch self {
    case .binaryInput: "input.binary"
    case .storeInUse: "store.in-use"
    case .cannotLock: "store.cannot-lock"
    case .sameFile: "usage.same-file"
    case .noFile: "usage.no-file"
    }
  }

  var message: String {
    switch self {
    case .binaryInput(let path, let hint): "\(printable(path)) \(hint.reason)"
    case .storeInUse(let path, let process):
      "another replay writes to the store \(printable(path))" + (process.map { " (process \($0))" } ?? "")
    case .cannotLock(let path, let fault): "cannot create \(printable(path)) beside the store: \(fault)"
    case .sameFile(let path, let purpose): "\(printable(path)) is named as \(purpose); that would destroy it"
    case .noFile(let path): "\"\(printable(path))\" stands for no file, so nothing would be kept"
    }
  }

  var remedy: String? {
    switch self {
    case .binaryInput: nil
    case .storeInUse: "Wait for it to end, or name another file with --store."
    case .cannotLock(_, let fault):
      fault.isTemporary
        ? "Make room on the disk and try again." : "Check that the folder exists and may be written to."
    case .sameFile: "Name another file."
    case .noFile: "Name a file with --store; put ./ before a name that begins with a colon or with file:."
    }
  }

  var exitCode: ExitCode {
    switch self {
    case .binaryInput: .dataRefused
    case .storeInUse: .temporary
    case .cannotLock(_, let fault): fault.isTemporary ? .temporary : .cannotCreate
    case .sameFile, .noFile: .usage
    }
  }
}
