import Synchronization

/// A token that says: a thread outside the simulation will deliver something, so wait for it.
///
/// While a token is pending the driver sleeps instead of declaring a stall, and virtual time stands still. Hold one from the
/// request until the answer has arrived, not for as long as the foreign thread lives: time would never move.
///
/// Ends by ``finish()`` or when the token is released, whichever is first.
public final class ExternalWork: Sendable {
  private let executor: SeededExecutor
  private let id: UInt64

  init(executor: SeededExecutor, name: String) {
    self.executor = executor
    id = executor.beginExternal(named: name)
  }

  deinit {
    finish()
  }

  /// Says that the work is done. May be called from any thread, and more than once.
  public func finish() {
    executor.endExternal(id: id)
  }
}
