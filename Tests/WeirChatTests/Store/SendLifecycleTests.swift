import Testing
import WeirStore

@testable import WeirChat

@Suite("What becomes of an own message")
struct SendLifecycleTests {
  private enum Event: String, CaseIterable {
    case ack, delivered, read, fail, recall, deleteSelf
  }

  /// The facts that bring a message to a state.
  private func facts(_ state: MessageDisplayState) -> [Fact] {
    let message = Make.pending("m")
    let sent = [message, Make.attempt("m", .sending), Make.ack("m", seq: 5, at: Make.time)]
    return switch state {
    case .queued: [message, Make.attempt("m", .queued)]
    case .sending: [message, Make.attempt("m", .sending)]
    case .failed: [message, Make.attempt("m", .failed)]
    case .cancelled: [message, Make.attempt("m", .cancelled)]
    case .sent: sent
    case .delivered: sent + [Make.delivered("m")]
    case .read: sent + [Make.read(5, by: Make.peer, in: Make.single)]
    case .recalled: sent + [Make.recall("m", in: Make.single)]
    case .hidden: sent + [Make.delete(.clientMsgID("m"), in: Make.single)]
    }
  }

  private func fact(_ event: Event) -> Fact {
    switch event {
    case .ack: Make.ack("m", seq: 5, at: Make.time)
    case .delivered: Make.delivered("m")
    case .read: Make.read([.clientMsgID("m")], by: Make.peer, in: Make.single)
    case .fail: Make.attempt("m", .failed)
    case .recall: Make.recall("m", in: Make.single)
    case .deleteSelf: Make.delete(.clientMsgID("m"), in: Make.single)
    }
  }

  /// The table of receiving spec §2.7. A read receipt of a message that the server does not have yet waits for it.
  private static let table: [(MessageDisplayState, [MessageDisplayState])] = [
    (.queued, [.sent, .delivered, .queued, .failed, .queued, .hidden]),
    (.sending, [.sent, .delivered, .sending, .failed, .sending, .hidden]),
    (.failed, [.sent, .delivered, .failed, .failed, .failed, .hidden]),
    (.cancelled, [.sent, .delivered, .cancelled, .cancelled, .cancelled, .hidden]),
    (.sent, [.sent, .delivered, .read, .sent, .recalled, .hidden]),
    (.delivered, [.delivered, .delivered, .read, .delivered, .recalled, .hidden]),
    (.read, [.read, .read, .read, .read, .recalled, .hidden]),
    (.recalled, [.recalled, .recalled, .recalled, .recalled, .recalled, .hidden]),
  ]

  @Test("every event in every state gives the state of the table")
  func transitions() throws {
    let projection = try MemoryProjection()
    for (state, outcomes) in Self.table {
      for (event, outcome) in zip(Event.allCases, outcomes) {
        try projection.branch {
          try projection.apply(facts(state))
          #expect(try shown(projection)?.state == state)
          try projection.apply([fact(event)])
          #expect(try shown(projection)?.state == outcome, "\(state) and \(event)")
          // A recall or receipt that was held shows once the server has the message.
          guard outcome != .hidden, event == .recall || event == .read else { return }
          try projection.apply([fact(.ack)])
          let held: MessageDisplayState = state == .recalled || event == .recall ? .recalled : .read
          #expect(try shown(projection)?.state == held, "\(state), \(event) and then an acknowledgement")
        }
      }
    }
  }

  @Test("an acknowledgement after a cancellation: sent, and that the cancellation came too late is told")
  func lateCancellation() throws {
    let projection = try MemoryProjection()
    try projection.apply(facts(.cancelled))
    #expect(try shown(projection)?.wasCancelledTooLate == false)
    try projection.apply([fact(.ack)])
    #expect(try shown(projection)?.wasCancelledTooLate == true)
    #expect(try shown(projection)?.state == .sent)
  }

  @Test("retry is the next attempt, and an old failure does not end it")
  func retry() throws {
    let projection = try MemoryProjection()
    try projection.apply(facts(.failed))
    guard case .attempt(let number, let step) = try SendTransitions.outcome(of: .retry, in: .failed) else { return }
    #expect(number == 2 && step == .queued)
    try projection.apply([Make.attempt("m", step, number: number), Make.attempt("m", .failed, number: 1)])
    #expect(try shown(projection)?.state == .queued)
    #expect(try shown(projection)?.attempt == 2)
    #expect(try shown(projection)?.key.clientMsgID == "m")
  }

  @Test("cancel, retry and recall are taken or refused as the table says, with the reason")
  func commands() {
    typealias Table = [MessageDisplayState: Result<SendTransitions.Outcome, SendTransitions.Refusal>]
    let cancelled = Result<SendTransitions.Outcome, SendTransitions.Refusal>.success(
      .attempt(number: 3, step: .cancelled))
    let tables: [(SendTransitions.Command, Table)] = [
      (
        .cancel,
        [
          .queued: cancelled, .sending: cancelled, .failed: cancelled, .cancelled: .success(.nothing),
          .sent: .failure(.alreadySent), .delivered: .failure(.alreadySent), .read: .failure(.alreadySent),
          .recalled: .failure(.recalled), .hidden: .failure(.hidden),
        ]
      ),
      (
        .retry,
        [
          .queued: .success(.nothing), .sending: .failure(.underWay),
          .failed: .success(.attempt(number: 4, step: .queued)), .cancelled: .failure(.withdrawn),
          .sent: .failure(.alreadySent), .delivered: .failure(.alreadySent), .read: .failure(.alreadySent),
          .recalled: .failure(.recalled), .hidden: .failure(.hidden),
        ]
      ),
      (
        .recall,
        [
          .queued: .success(.hold), .sending: .success(.hold), .failed: .failure(.nothingToRecall),
          .cancelled: .success(.hold), .sent: .success(.askServer), .delivered: .success(.askServer),
          .read: .success(.askServer), .recalled: .failure(.recalled), .hidden: .failure(.hidden),
        ]
      ),
    ]
    for (command, table) in tables {
      for state in MessageDisplayState.allCases {
        let outcome = Result { () throws(SendTransitions.Refusal) in
          try SendTransitions.outcome(of: command, in: state, attempt: 3)
        }
        #expect(outcome == table[state], "\(command) in \(state)")
      }
    }
    for refusal in SendTransitions.Refusal.allCases { #expect(refusal.description.hasPrefix(refusal.code)) }
  }

  private func shown(_ projection: MemoryProjection) throws -> StoredMessage? {
    try projection.reader.message(Make.single, "m")
  }
}
