import ChatFixtures
import Testing
import Weir

@testable import WeirChat

@Suite("Registering listeners")
struct ListenerRegistrationTests {
  private let registry = ListenerRegistry(now: { 1_718_000_000_000 })

  @Test("a listener is added only after the SDK is initialised and before somebody logs in")
  func time() throws {
    let listener = MessageListener()
    #expect(throws: ListenerError.notInitialized) { try registry.add(listener) }
    #expect(throws: ListenerError.notInitialized) { try registry.login(account: "me") }
    registry.initialize()
    registry.initialize()
    #expect(throws: ListenerError.emptyAccount) { try registry.login(account: "") }
    #expect(try registry.add(listener))
    #expect(try registry.login(account: "me") == 1)
    #expect(registry.account == "me")
    let error = #expect(throws: ListenerError.loggedIn(account: "me")) { try registry.add(MessageListener()) }
    #expect(error?.code == "listener.logged-in" && error?.description.contains("log out") == true)
    #expect(throws: ListenerError.loggedIn(account: "me")) { try registry.login(account: "other") }
    registry.logout()
    #expect(registry.account == nil)
    #expect(try registry.add(listener))
    #expect(try registry.login(account: "other") == 2)
  }

  @Test("TIMSDK 820: a listener that each page adds again is delivered to once")
  func twice() async throws {
    let listener = MessageListener()
    registry.initialize()
    #expect(try registry.add(listener))
    for _ in 0..<5 { #expect(try !registry.add(listener)) }
    let all = try await received(by: listener) { registry.deliver(.newMessage, CallbackLine().bytes) }
    #expect(all.count == 1)
    #expect(listener.counts.received == 1 && listener.counts.handedOn == 1)
  }

  @Test("a listener of one registry is refused by another, until it is removed")
  func elsewhere() throws {
    let other = ListenerRegistry()
    let listener = MessageListener()
    registry.initialize()
    other.initialize()
    try registry.add(listener)
    #expect(throws: ListenerError.registeredElsewhere) { try other.add(listener) }
    #expect(!other.remove(listener))
    #expect(registry.remove(listener))
    #expect(!registry.remove(listener))
    #expect(try other.add(listener))
  }

  @Test("the registry keeps a strong listener until it is removed, and a weak one not at all")
  func ownership() throws {
    registry.initialize()
    weak var strong: MessageListener?
    weak var weakly: MessageListener?
    do {
      let listeners = (MessageListener(), MessageListener())
      (strong, weakly) = listeners
      try registry.add(listeners.0, .strong)
      try registry.add(listeners.1, .weak)
    }
    #expect(strong != nil && weakly == nil)
    try registry.login(account: "me")
    registry.deliver(.newMessage, [])
    #expect(strong?.counts.received == 1)
    registry.logout()
    #expect(strong == nil)
    try registry.login(account: "me")
    registry.deliver(.newMessage, [])
    #expect(registry.counts == ListenerRegistry.Counts(outsideSession: 0, unheard: 1))
  }

  @Test("callbacks outside of a session reach nobody and are counted")
  func outsideSession() throws {
    registry.initialize()
    let listener = MessageListener()
    try registry.add(listener)
    registry.deliver(.newMessage, [1])
    #expect(registry.counts.outsideSession == 1 && listener.counts.received == 0)
  }

  @Test("logging out ends the listener's source after what came before; nothing of the next account reaches it")
  func logout() async throws {
    let listener = MessageListener()
    registry.initialize()
    try registry.add(listener)
    let lines = ChatScript.lines(seed: 1, count: 50)
    let all = try await received(by: listener) {
      for line in lines { registry.deliver(.newMessage, line) }
      registry.logout()
      _ = try? registry.login(account: "other")
      registry.deliver(.newMessage, lines[0])
    }
    #expect(all.map(\.account) == Array(repeating: ChatScript.account, count: 50))
    #expect(all.map(\.content) == lines.map { .payload(.newMessage, $0) })
    #expect(all.allSatisfy { $0.epoch == 1 && $0.receivedAt == 1_718_000_000_000 })
    #expect(registry.counts.unheard == 1)
  }

  @Test("the same instance serves the next session in a run of its own")
  func nextSession() async throws {
    let listener = MessageListener()
    registry.initialize()
    for (epoch, account) in [(Int64(1), "a"), (2, "b")] {
      try registry.add(listener)
      let all = try await received(by: listener, account: account) { registry.deliver(.newMessage, [1]) }
      #expect(all.map(\.account) == [account] && all.map(\.epoch) == [epoch])
    }
  }

  @Test("one listener feeds one run at a time")
  func oneRun() async throws {
    let listener = MessageListener()
    registry.initialize()
    try registry.add(listener)
    let blueprint = try Blueprint("inbox") { graph in graph.callbacks("listener", listener).ignore("end") }
    try await blueprint.run { live in
      await listener.untilHeard()
      let failure = await #expect(throws: StageFailure.self) { try await blueprint.run() }
      #expect(failure?.cause as? ListenerError == .alreadyRunning)
      registry.logout()
    }
  }

  private func received(
    by listener: MessageListener, account: String = ChatScript.account, _ act: @Sendable () -> Void
  ) async throws -> [ListenerCallback] {
    let blueprint = try Blueprint("inbox") { graph in graph.callbacks("listener", listener).collect("all") }
    return try await blueprint.run { live in
      await listener.untilHeard()
      try registry.login(account: account)
      act()
      registry.logout()
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
  }
}
