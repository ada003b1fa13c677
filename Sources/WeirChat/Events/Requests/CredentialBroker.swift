import Synchronization
import Weir

/// Gets credentials from the application's provider, one call at a time (receiving spec §3, kind 17 and invariant 13).
///
/// All who find the same credential refused share one call and its result. A failure is one error for all who wait, and
/// the provider is left alone for a while that grows; nothing is called in a loop. An answer for a login that has ended is
/// thrown away. No token comes into any error or text.
///
/// Memory: the present credential, and one entry for each task that waits.
public final class CredentialBroker: Sendable {
  private typealias Waiter = CheckedContinuation<Woken, Never>

  private enum Woken: Sendable {
    case result(Result<IssuedCredential, CredentialError>)
    case call(UInt64)
  }

  private struct State {
    var flight: CredentialFlight
    var waiting: [(id: UInt64, continuation: Waiter)] = []
    var nextWaiter: UInt64 = 0
  }

  private let state: Mutex<State>
  private let clock: GraphClock
  private let provider: @Sendable (CredentialRequest) async throws -> Credential

  /// A broker for a login.
  /// - Parameters:
  ///   - request: whose credentials, for which login.
  ///   - backoff: how long the provider is left alone after failures; its number of attempts is not used.
  ///   - clock: what that time is measured by.
  ///   - provider: asks the application. Runs in the task of whoever came first.
  public init(
    _ request: CredentialRequest, backoff: Backoff = Backoff(initial: .seconds(1), maximum: .seconds(60)),
    clock: GraphClock = .continuous, provider: @escaping @Sendable (CredentialRequest) async throws -> Credential
  ) {
    state = Mutex(State(flight: CredentialFlight(request, backoff: backoff)))
    self.clock = clock
    self.provider = provider
  }

  /// The present credential, or a new one.
  /// - Parameter refused: the serial of a credential that the server has refused; nil when there was none.
  /// - Throws: `CredentialError`.
  public func credential(refused: UInt64? = nil) async throws(CredentialError) -> IssuedCredential {
    let answer = state.withLock { $0.flight.ask(refused: refused, now: clock.now) }
    switch answer {
    case .use(let issued): return issued
    case .fail(let error): throw error
    case .call(let number): return try await call(number)
    case .wait:
      switch await wait(refused: refused) {
      case .result(let result): return try result.get()
      case .call(let number): return try await call(number)
      }
    }
  }

  /// Begins another login: credentials, failures and answers of the old one do not count any more.
  public func begin(_ request: CredentialRequest) {
    let waiting = state.withLock { state in
      state.flight.begin(request)
      return Self.takeWaiting(&state)
    }
    for waiter in waiting { waiter.resume(returning: .result(.failure(CredentialError(.superseded)))) }
  }

  private func call(_ number: UInt64) async throws(CredentialError) -> IssuedCredential {
    let request = state.withLock { $0.flight.request }
    let answer: Credential
    do {
      answer = try await provider(request)
    } catch {
      guard !Task.isCancelled else {
        abandon(number)
        throw CredentialError(.cancelled)
      }
      // Not the words of the error: they could hold a token.
      let cause = (error as? any CodedError)?.code ?? "\(type(of: error))"
      return try end { $0.failed(number, cause: cause, now: clock.now).map { .failure($0) } }.get()
    }
    return try end { $0.succeeded(number, answer).map { .success($0) } }.get()
  }

  /// Ends a call by `step`, and tells those who wait; what the caller gets. An answer for a login that has
  /// ended is thrown away.
  private func end(
    _ step: (inout CredentialFlight) -> Result<IssuedCredential, CredentialError>?
  ) -> Result<IssuedCredential, CredentialError> {
    let (result, waiting) = state.withLock { state -> (Result<IssuedCredential, CredentialError>?, [Waiter]) in
      let result = step(&state.flight)
      return (result, result == nil ? [] : Self.takeWaiting(&state))
    }
    guard let result else { return .failure(CredentialError(.superseded)) }
    for waiter in waiting { waiter.resume(returning: .result(result)) }
    return result
  }

  private func abandon(_ number: UInt64) {
    let next: (waiter: Waiter, call: UInt64)? = state.withLock { state in
      guard let call = state.flight.abandoned(number, hasWaiting: !state.waiting.isEmpty) else { return nil }
      return (state.waiting.removeFirst().continuation, call)
    }
    if let next { next.waiter.resume(returning: .call(next.call)) }
  }

  private func wait(refused: UInt64?) async -> Woken {
    let id = state.withLock { state in
      state.nextWaiter &+= 1
      return state.nextWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let now: Woken? = state.withLock { state in
          if Task.isCancelled { return .result(.failure(CredentialError(.cancelled))) }
          // Asked again: the call may have ended meanwhile.
          switch state.flight.ask(refused: refused, now: clock.now) {
          case .use(let issued): return .result(.success(issued))
          case .fail(let error): return .result(.failure(error))
          case .call(let number): return .call(number)
          case .wait:
            state.waiting.append((id, continuation))
            return nil
          }
        }
        if let now { continuation.resume(returning: now) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
      }
      waiter?.resume(returning: .result(.failure(CredentialError(.cancelled))))
    }
  }

  private static func takeWaiting(_ state: inout State) -> [Waiter] {
    defer { state.waiting = [] }
    return state.waiting.map(\.continuation)
  }
}
