// Foundation's Data is part of the protocol; nothing else here needs Foundation.
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What file transfer needs of a radio.
public protocol FileTransferTransport: Sendable {
  /// Gives the modem a command and returns the lines of its answer; the last says that it went well.
  /// - Parameters:
  ///   - command: without its line end.
  ///   - timeoutMs: milliseconds until it throws.
  ///   - log: false to keep the command and its answer out of logs.
  /// - Throws: when the modem says no, says nothing in time, the line is lost, or the task is cancelled; an answer that is
  ///   returned is never one of these.
  func runAtCommand(_ command: String, timeoutMs: Int, log: Bool) async throws -> [String]

  /// Sends a frame; returns when the modem has confirmed this very frame, and not at its taking it.
  /// - Throws: when it was not sent, nothing is said in time, the line is lost, or the task is cancelled.
  func sendRfPayload(_ payload: Data, timeoutMs: Int) async throws
}

extension ATModem: FileTransferTransport {
  public func runAtCommand(_ command: String, timeoutMs: Int, log: Bool) async throws -> [String] {
    try await run(command, timeout: .milliseconds(timeoutMs), isLogged: log)
  }

  public func sendRfPayload(_ payload: Data, timeoutMs: Int) async throws {
    try await send(Array(payload), timeout: .milliseconds(timeoutMs))
  }
}
