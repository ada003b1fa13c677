import Synchronization
import Testing
import Weir
import WeirTesting

@testable import WeirChat

/// Invariants 13 and 15 to 20: calls, their ends, credentials and the rules of the outbox.
@Suite("Invariants of requests") struct RequestTests {
  private struct Leaky: Error, CustomStringConvertible {
    let token: String
    var description: String { "the token \(token) is bad" }
  }

  private struct Coded: CodedError {
    let code = "app.maintenance"
  }

  private let login = CredentialRequest(account: "a", accountEpoch: 1)

  @Test("Invariant 13: many failures at once lead to one call of the provider, and all share its result")
  func singleFlight() throws {
    try forEachSeed(count: 200) { simulation in
      let calls = Mutex(0)
      let broker = CredentialBroker(login, clock: GraphClock(simulation.clock)) { request in
        let number = calls.withLock {
          $0 += 1
          return $0
        }
        try await simulation.clock.sleep(for: .milliseconds(50))
        return Credential(token: "\(request.account) \(number)")
      }
      let first = try await broker.credential()
      try await withThrowingTaskGroup(of: UInt64.self) { group in
        for _ in 0..<20 {
          group.addTask {
            for _ in 0..<(simulation.seed % 5) { await Task.yield() }
            return try await broker.credential(refused: first.serial).serial
          }
        }
        for try await serial in group { try simulation.require(serial == 2) }
      }
      // Someone who failed with the first one, and is late, gets the second and makes no call.
      let late = try await broker.credential(refused: first.serial)
      try simulation.require(late.serial == 2 && calls.withLock { $0 } == 2)
      try simulation.require(late.credential.withToken { $0 } == "a 2")
    }
  }

  @Test("Invariant 13: after the update the client connects, synchronizes and is ready, in this order")
  func renewal() async throws {
    var client = ClientLifecycle()
    let hub = EventHub()
    let reader = hub.subscribe()
    func take(_ steps: ClientLifecycle.Step...) -> [ClientState] {
      steps.compactMap { step in
        guard let state = client.take(step) else { return nil }
        hub.publish(.stateChanged(.known(state)), connectionGeneration: client.connectionGeneration)
        return state
      }
    }
    _ = take(.start, .logIn, .authenticated, .connected, .synchronized)
    let generation = client.connectionGeneration
    #expect(take(.credentialRefused) == [.credentialRequired])
    #expect(
      take(.credentialUpdated, .connected, .synchronized) == [.connecting, .synchronizing, .ready])
    #expect(client.connectionGeneration == generation + 1)
    #expect(reader.takePending().last?.event == .stateChanged(.known(.ready)))
    // A page that reads too slowly sees the state that is, not the way there.
    #expect(reader.counters.published == 9 && reader.counters.delivered == 9)
  }

  @Test("Invariant 13: a result for a login that has ended is thrown away, and those who wait are told")
  func oldLogin() throws {
    try forEachSeed(count: 60) { simulation in
      let broker = CredentialBroker(login, clock: GraphClock(simulation.clock)) { request in
        try await simulation.clock.sleep(for: .seconds(Int64(request.accountEpoch == 1 ? 5 : 1)))
        return Credential(token: "of \(request.accountEpoch)")
      }
      try await withThrowingTaskGroup(of: CredentialError.Kind?.self) { group in
        for _ in 0..<3 {
          group.addTask {
            do {
              _ = try await broker.credential()
              return nil
            } catch {
              return (error as? CredentialError)?.kind
            }
          }
        }
        try await simulation.clock.sleep(for: .seconds(1))
        broker.begin(CredentialRequest(account: "a", accountEpoch: 2))
        let issued = try await broker.credential()
        try simulation.require(issued.credential.withToken { $0 } == "of 2" && issued.request.accountEpoch == 2)
        for try await kind in group { try simulation.require(kind == .superseded, "\(String(describing: kind))") }
        let still = try await broker.credential()
        try simulation.require(still.serial == issued.serial, "the late answer took its place")
      }
    }
  }

  @Test("Invariant 13: a provider that fails is one error, and is left alone for a while that grows")
  func backoff() throws {
    try simulate { simulation in
      let calls = Mutex(0)
      let broker = CredentialBroker(
        login, backoff: Backoff(initial: .seconds(2), maximum: .seconds(5)), clock: GraphClock(simulation.clock)
      ) { _ in
        calls.withLock { $0 += 1 }
        await Task.yield()
        throw Coded()
      }
      func fail() async throws -> CredentialError {
        do {
          _ = try await broker.credential()
        } catch {
          return error
        }
        throw Coded()
      }
      let kinds = try await withThrowingTaskGroup(of: CredentialError.Kind.self) { group in
        for _ in 0..<8 { group.addTask { try await fail().kind } }
        return try await group.reduce(into: [CredentialError.Kind]()) { $0.append($1) }
      }
      try simulation.require(calls.withLock { $0 } == 1)
      try simulation.require(kinds.allSatisfy { $0 == .providerFailed || $0 == .backingOff })
      let waiting = try await fail()
      try simulation.require(waiting == CredentialError(.backingOff, cause: "app.maintenance", retryAfter: .seconds(2)))
      for wait in [2, 4, 5, 5] {
        try await simulation.clock.sleep(for: .seconds(wait))
        let error = try await fail()
        try simulation.require(error.kind == .providerFailed && error.isRetryable)
        let again = try await fail()
        try simulation.require(again.kind == .backingOff)
      }
      try simulation.require(calls.withLock { $0 } == 5)
    }
  }

  @Test("Invariant 13: no token comes into an error or a text")
  func secrecy() async throws {
    let secret = "s3cr3t-token"
    let broker = CredentialBroker(login, backoff: Backoff(initial: .zero)) { _ in throw Leaky(token: secret) }
    do {
      _ = try await broker.credential()
      Issue.record("it did not fail")
    } catch {
      var dumped = ""
      dump(error, to: &dumped)
      for text in ["\(error)", String(reflecting: error), dumped, error.cause] { #expect(!text.contains(secret)) }
      #expect(error.cause == "Leaky")
    }
    let working = CredentialBroker(login) { _ in Credential(token: secret) }
    let issued = try await working.credential()
    var dumped = ""
    dump(issued, to: &dumped)
    for text in ["\(issued)", String(reflecting: issued), dumped, "\(issued.credential)"] {
      #expect(!text.contains(secret))
    }
    #expect(issued.credential.withToken { $0 } == secret)
  }

  @Test("Invariant 13: when the task that makes the call is cancelled, one that waits makes it")
  func cancelledCaller() throws {
    try forEachSeed(count: 100) { simulation in
      let broker = CredentialBroker(login, clock: GraphClock(simulation.clock)) { _ in
        try await simulation.clock.sleep(for: .seconds(1))
        return Credential(token: "t")
      }
      try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
          await withTaskGroup(of: Void.self) { inner in
            inner.addTask { _ = try? await broker.credential() }
            try? await simulation.clock.sleep(for: .milliseconds(500))
            inner.cancelAll()
          }
          return true
        }
        try await simulation.clock.sleep(for: .milliseconds(100))
        for _ in 0..<4 { group.addTask { try await broker.credential().serial == 1 } }
        for try await isRight in group { try simulation.require(isRight) }
      }
    }
  }

  @Test("GetStream/stream-chat-swift 2255: an expired token that socket and HTTP find out together leads to one call")
  func twoAtOnce() async throws {
    let calls = Mutex(0)
    let broker = CredentialBroker(login) { _ in
      calls.withLock { $0 += 1 }
      try await Task.sleep(for: .milliseconds(20))
      return Credential(token: "t")
    }
    async let socket = broker.credential()
    async let http = broker.credential()
    let serials = try await [socket.serial, http.serial]
    #expect(serials == [1, 1] && calls.withLock { $0 } == 1)
  }

  @Test("Invariant 15: a call completes once, whoever tries, and all who wait hear the same")
  func once() throws {
    try forEachSeed(count: 200) { simulation in
      let request = Request<Int>()
      let told = Mutex<[RequestOutcome<Int>]>([])
      let heard = Shared<[Int: RequestOutcome<Int>]>([:])
      request.onCompletion { outcome in told.withLock { $0.append(outcome) } }
      let wins = Shared(0)
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<3 {
          group.addTask {
            let outcome = await request.wait()
            heard.change { $0[number] = outcome }
          }
        }
        for number in 0..<6 {
          group.addTask {
            let outcome: RequestOutcome<Int> =
              switch number % 3 {
              case 0: .success(number)
              case 1: .failure(ClientError(domain: "net", stableCode: "net.lost"))
              default: .cancelled
              }
            if request.complete(outcome) { wins.change { $0 += 1 } }
          }
        }
      }
      let end = request.outcome
      try simulation.require(end != nil && wins.value == 1)
      try simulation.require(told.withLock { $0 } == [end].compactMap { $0 })
      try simulation.require(heard.value == [0: end, 1: end, 2: end].compactMapValues { $0 })
      try simulation.require(!request.cancel() && request.outcome == end, "cancelled after its end")
    }
  }

  @Test("Invariant 15: cancelling the wait leaves the call as it is; a cancelled call is no error")
  func cancelledWait() throws {
    try simulate { simulation in
      let request = Request<Int>()
      let heard = await withTaskGroup(of: RequestOutcome<Int>?.self) { group in
        group.addTask { await request.wait() }
        await simulation.settle()
        group.cancelAll()
        return await group.next() ?? nil
      }
      try simulation.require(heard == nil && request.outcome == nil)
      try simulation.require(request.complete(.success(4)))
      let late = await request.wait()
      try simulation.require(late == .success(4))
      let other = Request<Int>()
      other.cancel()
      try simulation.require(other.outcome == .cancelled && other.outcome?.error == nil)
    }
  }

  @Test("Invariant 16: what the server has cannot be cancelled; a retry keeps the client id")
  func outbox() throws {
    let key = MessageKey(account: "a", conversationID: "c", clientMsgID: "m")
    for evidence in [ServerEvidence.sent, .delivered, .read] {
      let error = #expect(throws: ClientError.self) {
        try OutboxRules.cancel(key, evidence: evidence, attempt: 1, step: .sending)
      }
      #expect(error?.stableCode == "outbox.already-sent" && error?.message.contains("recall") == true)
      #expect(throws: ClientError.self) { try OutboxRules.retry(key, evidence: evidence, attempt: 1, step: .failed) }
    }
    for step in [SendFact.Step.queued, .sending, .failed] {
      let fact = try OutboxRules.cancel(key, evidence: .none, attempt: 2, step: step)
      #expect(fact.event == .attempt(number: 2, step: .cancelled) && fact.clientMsgID == "m")
    }
    let again = try OutboxRules.retry(key, evidence: .none, attempt: 2, step: .failed)
    #expect(again.event == .attempt(number: 3, step: .queued) && again.clientMsgID == "m")
    #expect(again.conversationID == "c" && again.account == "a")
    for step in [SendFact.Step.queued, .sending, .cancelled] {
      #expect(throws: ClientError.self) { try OutboxRules.retry(key, evidence: .none, attempt: 1, step: step) }
    }
  }

  @Test("Invariant 17: another message changes no decision; the wait and the key of a retry are kept")
  func stableFields() {
    var error = ClientError(
      domain: "net", stableCode: "net.busy", retryable: true, retryAfterMilliseconds: 3_000,
      userAction: .known(.checkNetwork), message: "busy")
    var first = RetryPlan(idempotencyKey: "k", backoff: Backoff(initial: .seconds(1), attempts: 3))
    var second = first
    let original = error
    for wait in [3, 3, 4] {
      let decision = first.decide(after: error)
      error.message = "\(wait) gar nicht mehr \(error.message)"
      #expect(error == original && second.decide(after: error) == decision)
      #expect(decision == .retry(after: .seconds(wait), idempotencyKey: "k"))
    }
    #expect(first.decide(after: error) == .giveUp)
    error.retryable = false
    var third = RetryPlan(idempotencyKey: "k")
    #expect(third.decide(after: error) == .giveUp)
    error.retryAfterMilliseconds = -5
    error.retryable = true
    var fourth = RetryPlan(idempotencyKey: "k", backoff: Backoff(initial: .zero))
    #expect(fourth.decide(after: error) == .retry(after: .zero, idempotencyKey: "k"))
  }

  @Test("Invariant 18: writes are refused in every state but ready")
  func writes() {
    // Every state that any steps lead to.
    var reached: [ClientState: ClientLifecycle] = [.created: ClientLifecycle()]
    var open = [ClientLifecycle()]
    while let client = open.popLast() {
      for step in ClientLifecycle.Step.allCases {
        var next = client
        guard let state = next.take(step) else {
          #expect(next == client, "a step that cannot happen changed something")
          continue
        }
        if reached.updateValue(next, forKey: state) == nil { open.append(next) }
      }
    }
    #expect(reached.count == ClientState.allCases.count)
    for (state, client) in reached {
      if state == .ready {
        #expect(throws: Never.self) { try client.admitWrite() }
      } else {
        let error = #expect(throws: ClientError.self) { try client.admitWrite() }
        #expect(error?.stableCode == "client.not-ready")
      }
    }
  }

  @Test("Invariant 19: completions come to the main actor in order, and may start calls without waiting for them")
  @MainActor func completions() async {
    let line = CompletionLine()
    let requests = (0..<50).map { _ in Request<Int>() }
    let followUp = Request<Int>()
    var seen: [Int] = []
    for request in requests {
      line.deliver(request) { outcome in
        MainActor.assertIsolated()
        seen.append(outcome.value ?? -1)
        if seen.count == 1 {
          line.deliver(followUp) { _ in
            seen.append(1_000)
            line.close()
          }
        }
      }
    }
    let order = (0..<50).sorted { ($0 * 7) % 50 < ($1 * 7) % 50 }
    async let completing: Void = Task.detached {
      for number in order { requests[number].complete(.success(number)) }
      followUp.complete(.success(0))
    }.value
    await line.run()
    await completing
    #expect(Array(seen.prefix(50)) == order && seen.last == 1_000 && seen.count == 51)
  }

  @Test("Invariant 20: progress of a transfer may be skipped, its final state is not, and a page is told to query it")
  func media() {
    let hub = EventHub()
    let page = hub.subscribe(limit: 8, interest: Interest([.mediaTask("t")]))
    for step in 0..<1_000 {
      hub.publish(
        .mediaTaskUpdated(MediaTaskUpdate(taskID: "t", state: .known(step == 900 ? .done : .running))))
    }
    let all = page.takePending()
    #expect(all.count == 1 && all[0].covers == 1_000)
    #expect(all[0].event == .mediaTaskUpdated(MediaTaskUpdate(taskID: "t", state: .known(.done))))
    // In a flood of tasks the hint is widened, and still reaches the page.
    for task in 0..<1_000 {
      hub.publish(.mediaTaskUpdated(MediaTaskUpdate(taskID: "t\(task)", state: .known(.running))))
    }
    #expect(page.takePending().isEmpty)
    let all2 = hub.subscribe(limit: 8)
    hub.publish(.mediaTaskUpdated(MediaTaskUpdate(taskID: "t", state: .known(.failed))))
    for task in 0..<1_000 {
      hub.publish(.mediaTaskUpdated(MediaTaskUpdate(taskID: "t\(task)", state: .known(.running))))
    }
    #expect(all2.takePending().contains { Interest([.mediaTask("t")]).touches($0.event) })
  }
}
