/// The settings of the modem before, during and after a transfer (radio study, C16 to C28).
///
/// Reads WORKMODE, ADDTL, RATE and FREQ before it writes anything; writes only WORKMODE, ADDTL, RATE and ANYRATELEN, and those
/// only where they differ; puts back all that it has read, byte for byte, and reads it again. ANYRATELEN can not be read.
struct RadioSetup: Sendable {
  let transport: any FileTransferTransport
  let settings: FileTransferRadioSettings?
  let timeout: Duration
  /// What was there before; WORKMODE is put back last, as it may be one in which nothing else can be written.
  private(set) var captured: [(name: String, value: String)] = []
  /// Whether anything may be other than it was.
  private(set) var hasChanged = false
  /// Why the modem may have lost more than can be put back.
  private(set) var doubt: String?

  init(_ transport: any FileTransferTransport, _ settings: FileTransferRadioSettings?, timeout: Duration) {
    self.transport = transport
    self.settings = settings
    self.timeout = timeout
  }

  /// Reads, then writes.
  mutating func prepare() async throws {
    guard let settings else { return }
    for name in ["ADDTL", "RATE", "FREQ", "WORKMODE"] {
      try Task.checkCancellation()
      captured.append((name, try await read(name)))
    }
    for (name, value) in settings.wanted {
      if captured.contains(where: { $0.name == name && $0.value == value }) { continue }
      try Task.checkCancellation()
      hasChanged = true
      try await write(name, value)
    }
  }

  /// Whether the modem is still set up as it was told: it may have lost its power for a moment and said nothing.
  func verify() async throws {
    guard let settings else { return }
    for (name, value) in settings.wanted where name != "ANYRATELEN" {
      let found = try await read(name)
      guard found == value else {
        throw FileTransferError.transport("the modem has lost \(name): \(found), not \(value)")
      }
    }
  }

  /// The modem may have lost settings that nobody has read: it can not be said to be as it was.
  mutating func doubt(_ reason: String) { if doubt == nil { doubt = reason } }

  /// Puts everything back; goes on behind a failure, and reports the first.
  mutating func restore() async -> FileTransferRestoration {
    guard settings != nil, hasChanged || doubt != nil else { return .notRequired }
    var failure: FileTransferError?
    for (name, value) in captured {
      do {
        // A modem may refuse a value that it has already; what counts is what it says afterwards.
        var refusal: (any Error)?
        do { try await write(name, value) } catch { refusal = error }
        let found = try await read(name)
        if found != value {
          throw refusal ?? FileTransferError.transport("\(name) is \(found) and was \(value)")
        }
      } catch {
        if failure == nil { failure = FileTransferError(transport: error) }
      }
    }
    if let failure { return .failed(failure) }
    if let doubt { return .failed(.transport(doubt)) }
    hasChanged = false
    return .restored
  }

  private func write(_ name: String, _ value: String) async throws {
    _ = try await transport.runAtCommand("AT+\(name)=\(value)", timeoutMs: timeout.milliseconds, log: true)
  }

  private func read(_ name: String) async throws -> String {
    let lines = try await transport.runAtCommand("AT+\(name)?", timeoutMs: timeout.milliseconds, log: true)
    for line in lines {
      for start in ["+\(name):", "+\(name)=", "\(name):", "\(name)="] where line.hasPrefix(start) {
        return String(line.dropFirst(start.count).drop { $0 == " " })
      }
    }
    throw FileTransferError.transport("the modem does not say its \(name): \(lines.joined(separator: " | "))")
  }
}

extension FileTransferRadioSettings {
  /// In the order in which they are written: first what lets a modem out of its transparent mode.
  var wanted: [(name: String, value: String)] {
    [("WORKMODE", workMode), ("ADDTL", additional), ("RATE", rate), ("ANYRATELEN", anyRateLength)].compactMap {
      name, value in value.map { (name, $0) }
    }
  }
}

extension Duration {
  var milliseconds: Int { Int(max(0, min(86_400_000, self / .milliseconds(1)))) }
}

extension FileTransferError {
  /// What a transport has thrown, with its reason.
  init(transport error: any Error) {
    switch error {
    case let error as FileTransferError: self = error
    case let error as RadioError: self = .transport("\(error)")
    default: self = .transport("\(error)")
    }
  }

  /// What an acquisition has thrown.
  init(acquisition error: any Error) {
    switch error {
    case let error as RadioError where error.kind == .busy || error.kind == .quarantined: self = .busy
    default: self.init(transport: error)
    }
  }
}
