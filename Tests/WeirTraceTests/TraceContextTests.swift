import Testing
import WeirTrace

/// The two headers of W3C Trace Context, and what takes their place where there is no room for them.
@Suite struct TraceContextTests {
  private static let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  @Test func `a valid header is read and written as it was`() throws {
    let context = try #require(TraceContext(traceparent: [Self.valid]))
    #expect(context.traceparent == Self.valid)
    #expect(context.isSampled)
    #expect(context.trace.description == "4bf92f3577b34da6a3ce929d0e0e4736")
    #expect(context.parent.description == "00f067aa0ba902b7")
    #expect(context.tracestate == nil)
  }

  @Test(arguments: [
    "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e47360-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-４bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01", "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  ])
  func `an invalid header begins a new trace`(header: String) {
    #expect(TraceContext(traceparent: [header], tracestate: ["vendor=1"]) == nil)
  }

  @Test func `two headers are none`() {
    #expect(TraceContext(traceparent: [Self.valid, Self.valid]) == nil)
    #expect(TraceContext(traceparent: []) == nil)
  }

  @Test func `a later version is read by its first four parts and answered as version 0`() throws {
    let context = try #require(
      TraceContext(traceparent: ["cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-09-what-the-future-brings"]))
    #expect(context.isSampled)
    #expect(context.traceparent == Self.valid)
  }

  @Test func `flags are looked at bit by bit, and unknown ones are not handed on`() throws {
    for flags in 0...0xff {
      let digits = String(flags, radix: 16)
      let header = Self.valid.dropLast(2) + (digits.count == 1 ? "0" : "") + digits
      let context = try #require(TraceContext(traceparent: [String(header)]))
      #expect(context.isSampled == (flags % 2 == 1))
      #expect(context.traceparent.hasSuffix(flags % 2 == 1 ? "-01" : "-00"))
    }
  }

  @Test func `forwarding keeps the trace and what others say, and puts our entry first`() throws {
    let context = try #require(
      TraceContext(traceparent: [Self.valid], tracestate: ["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "weir=old"]))
    let step = SpanID(clientMessageID: "m1", step: "bridge/send")
    let next = context.forwarded(as: step)
    #expect(next.trace == context.trace)
    #expect(next.parent == step)
    #expect(next.tracestate == "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE,weir=old")
    let named = context.forwarded(as: step, entry: (key: "weir", value: "bridge"))
    #expect(named.tracestate == "weir=bridge,rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")
    #expect(TraceContext(traceparent: [named.traceparent], tracestate: [named.tracestate ?? ""]) == named)
  }

  @Test func `a message finds the same trace at both ends without a byte on the way`() {
    let here = TraceContext(clientMessageID: "8f14e45f", step: "radio", isSampled: true)
    let there = TraceContext(clientMessageID: "8f14e45f", step: "radio", isSampled: true)
    #expect(here == there)
    #expect(here.trace != TraceContext(clientMessageID: "8f14e460", step: "radio", isSampled: true).trace)
    #expect(here.parent != SpanID(clientMessageID: "8f14e45f", step: "store"))
    #expect(TraceContext(traceparent: [here.traceparent]) == here)
  }

  @Test func `sampling takes about its share of any kind of ids, the same ones at both ends`() {
    let sampler = JourneySampler(oneIn: 16)
    for make in [
      { (number: Int) in "\(number)" }, { "00000000-0000-4000-8000-\($0)" }, { "\($0)-suffix-that-never-changes" },
    ] {
      let sampled = (0..<64_000).filter { sampler.samples(make($0)) }
      #expect((3_400...4_600).contains(sampled.count), "\(sampled.count) of 4,000")
      #expect(sampled == (0..<64_000).filter { JourneySampler(oneIn: 16).samples(make($0)) })
    }
    #expect(!(0..<100).contains { JourneySampler(oneIn: 0).samples("\($0)") })
    #expect((0..<100).allSatisfy { JourneySampler(oneIn: 1).samples("\($0)") })
  }
}

/// The list `tracestate`.
@Suite struct TraceStateTests {
  @Test(arguments: [
    "no-equals-sign", "=value", "key=", "Key=1", "1key=1", "a@b@c=1", "key=a=b", "key=\u{7}", "key=ä", "a=1,a=2",
    "@system=1", "tenant@=1", "tenant@averyveryverylongsystem=1",
  ])
  func `a list with an invalid member is dropped as a whole`(header: String) {
    #expect(TraceState(headers: ["good=1", header]).isEmpty)
  }

  @Test func `spaces and empty members are allowed between members`() {
    let state = TraceState(headers: ["a=1 , ,\tb=2", "", "1t@sys=x y"])
    #expect(state.description == "a=1,b=2,1t@sys=x y")
    #expect(state["b"] == "2" && state["c"] == nil)
  }

  @Test func `32 members are the most; a new one pushes the oldest out`() {
    let full = (1...32).map { "k\($0)=\($0)" }.joined(separator: ",")
    #expect(TraceState(headers: [full]).members.count == 32)
    #expect(TraceState(headers: [full + ",more=1"]).isEmpty)
    let next = TraceState(headers: [full]).setting("weir", to: "here")
    #expect(next.members.count == 32)
    #expect(next.members.first?.key == "weir" && next["k32"] == nil && next["k31"] == "31")
  }

  @Test(arguments: [("Weir", "x"), ("weir", ""), ("weir", "a,b"), ("weir", "a "), ("weir", "é")])
  func `an entry that the standard does not allow changes nothing`(key: String, value: String) {
    let state = TraceState(headers: ["a=1"])
    #expect(state.setting(key, to: value) == state)
  }
}
