/// The states of a client (receiving spec §3, kind 1), numbered in the order of the catalogue.
public enum ClientState: Int64, Sendable, CaseIterable {
  /// Made, not started.
  case created = 0
  /// The store is open; nothing has been asked of a server.
  case started = 1
  /// The credential is being checked.
  case authenticating = 2
  /// The connection is being made.
  case connecting = 3
  /// Connected; what was missed is being fetched.
  case synchronizing = 4
  /// Everything may be done.
  case ready = 5
  /// The server refused the credential; a provider is being asked for another.
  case credentialRequired = 6
  /// On the way out.
  case loggingOut = 7
  /// Out. Nothing follows but a new start.
  case closed = 8
  /// Broken beyond repair by the client.
  case fatal = 9

  /// Whether business writes are accepted: only when ready.
  public var acceptsWrites: Bool { self == .ready }

  /// Whether nothing follows but a new start. Such a state is never merged into another one.
  public var isTerminal: Bool { self == .closed || self == .fatal }
}
