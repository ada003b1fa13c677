import ChatFixtures
import Testing

@testable import WeirChat

@Suite("Merge hooks")
struct MergeHooksTests {
  private struct Broken: Error {}

  private let fact: Fact

  init() throws {
    let line = CallbackLine.group("hello", id: "m1", seq: 1)
    fact = try #require(try OpenIMCallbackDecoder(account: ChatScript.account).decode(line.bytes).fact)
  }

  @Test("without hooks every fact passes")
  func empty() throws {
    #expect(try MergeHooks().apply(fact) == .pass(fact))
  }

  @Test("hooks run in order, each on what the one before it left")
  func order() throws {
    var hooks = MergeHooks()
    try hooks.append("b") { .goOn(Self.tagged($0, "b")) }
    try hooks.append("c") { .goOn(Self.tagged($0, "c")) }
    try hooks.insert("a", before: "b") { .goOn(Self.tagged($0, "a")) }
    #expect(hooks.names == ["a", "b", "c"])
    #expect(try tag(hooks.apply(fact)) == "abc")
  }

  @Test("finish skips the later hooks, drop keeps the fact from the store")
  func verdicts() throws {
    var hooks = MergeHooks()
    try hooks.append("first") { .goOn(Self.tagged($0, "1")) }
    try hooks.append("last word") { .finish(Self.tagged($0, "2")) }
    try hooks.append("never") { _ in throw Broken() }
    #expect(try tag(hooks.apply(fact)) == "12")
    try hooks.insert("censor", before: "last word") { _ in .drop(reason: "spam") }
    #expect(try hooks.apply(fact) == .dropped(hook: "censor", reason: "spam"))
  }

  @Test("a hook that throws is named")
  func failure() throws {
    var hooks = MergeHooks()
    try hooks.append("broken") { _ in throw Broken() }
    #expect(throws: HookError.failed(name: "broken", reason: "Broken()")) { try hooks.apply(fact) }
  }

  @Test("names are unique, and an unknown one to insert before is an error")
  func names() throws {
    var hooks = MergeHooks()
    try hooks.append("a") { .goOn($0) }
    #expect(throws: HookError.duplicateName(name: "a")) { try hooks.append("a") { .goOn($0) } }
    #expect(throws: HookError.duplicateName(name: "a")) { try hooks.insert("a", before: "a") { .goOn($0) } }
    #expect(throws: HookError.unknownHook(name: "z")) { try hooks.insert("b", before: "z") { .goOn($0) } }
    #expect(hooks.names == ["a"])
    #expect(hooks.remove("a") && !hooks.remove("a"))
    #expect(hooks.names.isEmpty)
  }

  @Test("a copy is not changed by what happens to the other")
  func values() throws {
    var hooks = MergeHooks()
    try hooks.append("a") { .goOn(Self.tagged($0, "a")) }
    let running = hooks
    hooks.removeAll()
    try hooks.append("x") { _ in .drop(reason: "x") }
    #expect(try tag(running.apply(fact)) == "a")
  }

  private static func tagged(_ fact: Fact, _ tag: String) -> Fact {
    guard case .message(var message) = fact else { return fact }
    message.envelope.ex += tag
    return .message(message)
  }

  private func tag(_ outcome: MergeHooks.Outcome) -> String? {
    guard case .pass(.message(let message)) = outcome else { return nil }
    return message.envelope.ex
  }
}
