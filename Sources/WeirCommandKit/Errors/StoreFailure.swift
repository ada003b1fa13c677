import WeirStore

/// A store's error as the end of a command: which file, what happened, what to do, which exit code.
struct StoreFailure: CommandError {
  /// The store's file.
  let path: String
  /// What the store reported.
  let error: StoreError
  /// Whether the store was only to be read.
  var isReading = false

  var code: String { error.code }

  var message: String {
    let store = "the store \(printable(path))"
    let detail = printable(error.detail)
    switch error.kind {
    case .diskFull:
      return "\(store) cannot grow: the disk is full, or a quota or file size limit is reached (\(detail))"
    case .io: return "reading or writing \(store) failed (\(detail))"
    case .readOnly where isReading: return "\(store) has an older format (\(detail)); it was left as it is"
    case .cannotOpen where isReading: return "\(store) cannot be opened (\(detail))"
    case .readOnly: return "\(store) cannot be written to (\(detail))"
    case .busy: return "\(store) is locked by another program (\(detail))"
    case .corrupt: return "\(store) is damaged, or is no store at all (\(detail)); it was left as it is"
    case .fileGone: return "\(store) was moved away, deleted or replaced meanwhile; what had been stored went with it"
    case .foreignFile: return "\(store) was not made for this (\(detail)); it was left as it is"
    case .newerFormat: return "\(store) was made by a newer version (\(detail)); it was left as it is"
    case .cannotOpen: return "\(store) cannot be opened or created (\(detail))"
    case .staleEpoch: return "\(store) has been taken over by a later login of its account (\(detail))"
    case .timedOut: return "reading \(store) took too long (\(detail))"
    case .invalidInput where isReading: return "this cannot be asked of \(store) (\(detail))"
    case .cancelled, .closed, .invalidInput, .outOfMemory, .unexpected: return "\(store) failed (\(detail))"
    }
  }

  var remedy: String? { isReading ? readingRemedy : writingRemedy }

  private var readingRemedy: String? {
    switch error.kind {
    case .diskFull, .io: "Check the disk."
    case .readOnly: "Let the program that writes it open it once; 'weir replay' of an empty file does so too."
    case .cannotOpen: "Check its permissions."
    case .corrupt: "Replaying everything into a new store is the way to a sound one."
    case .foreignFile: "Name a store that 'weir replay' made."
    case .newerFormat: "Update weir."
    case .busy, .outOfMemory, .timedOut: "Run the same command again."
    case .fileGone, .staleEpoch, .cancelled, .closed, .invalidInput, .unexpected: nil
    }
  }

  private var writingRemedy: String? {
    switch error.kind {
    case .diskFull: "What was stored before is safe. Make room or raise the limit, then run the same command again."
    case .io: "What was stored before is safe. Check the disk, then run the same command again."
    case .readOnly, .cannotOpen: "Check that the folder exists and that it and the file may be written to."
    case .busy: "Wait for the other program, then run the same command again."
    case .corrupt:
      "Name another file with --store, or move this one away with its -wal and -shm files and replay everything."
    case .foreignFile: "Name another file with --store, or the right account with --account."
    case .newerFormat: "Update weir, or name another file with --store."
    case .fileGone: "Put the file back with its -wal file, or name another file with --store and replay everything."
    case .timedOut: "Run the same command again when the machine is less busy."
    case .staleEpoch, .cancelled, .closed, .invalidInput, .outOfMemory, .unexpected: nil
    }
  }

  var exitCode: ExitCode {
    switch error.kind {
    case .diskFull, .busy, .outOfMemory, .timedOut, .cancelled: .temporary
    case .io, .fileGone: .inputOutput
    case .readOnly where isReading: .dataRefused
    case .cannotOpen where isReading: .noInput
    case .readOnly, .cannotOpen: .cannotCreate
    case .corrupt, .foreignFile, .newerFormat, .staleEpoch: .dataRefused
    case .invalidInput where isReading: .usage
    case .closed, .invalidInput, .unexpected: .internalFault
    }
  }
}
