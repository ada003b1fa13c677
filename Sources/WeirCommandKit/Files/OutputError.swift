#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Why an output file could not be made or written.
public enum OutputError: CommandError, Equatable {
  /// The file exists and overwriting was not asked for.
  case exists(path: String)
  /// The file cannot be opened for writing.
  case cannotCreate(path: String, SystemFault)
  /// A write failed; bytes not yet written are still buffered, so the same call may be tried again.
  case writeFailed(path: String, SystemFault)

  public var code: String {
    switch self {
    case .exists: "output.exists"
    case .cannotCreate: "output.cannot-create"
    case .writeFailed(_, let fault) where fault.number == EPIPE: "output.closed"
    case .writeFailed(_, let fault): fault.isTemporary ? "output.full" : "output.write-failed"
    }
  }

  public var message: String {
    switch self {
    case .exists(let path): "\(printable(path)) exists already"
    case .cannotCreate(let path, let fault): "cannot create \(printable(path)): \(fault)"
    case .writeFailed(let path, let fault): "cannot write to \(printable(path)): \(fault)"
    }
  }

  public var remedy: String? {
    switch self {
    case .exists: "Choose another name, or add --force to replace it."
    case .cannotCreate(_, let fault):
      fault.isTemporary ? "Make room on the disk and try again." : "Check that the folder exists and may be written to."
    case .writeFailed(_, let fault): fault.isTemporary ? "Make room on the disk and try again." : nil
    }
  }

  public var exitCode: ExitCode {
    switch self {
    case .exists: .cannotCreate
    case .cannotCreate(_, let fault): fault.isTemporary ? .temporary : .cannotCreate
    case .writeFailed(_, let fault) where fault.number == EPIPE: .brokenPipe
    case .writeFailed(_, let fault): fault.isTemporary ? .temporary : .inputOutput
    }
  }
}
