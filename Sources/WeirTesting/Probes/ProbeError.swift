/// What a probe found instead of what the test asked for.
public enum ProbeError: Error, Sendable, CustomStringConvertible {
  /// A source was asked to send after it had finished or failed.
  case sourceEnded

  /// A source was asked to send after every iterator over it had been destroyed: nobody can ever take the element.
  case consumerGone

  /// A sink asked for `requested` elements and the sequence ended after `received`.
  case endedEarly(requested: Int, received: [String])

  /// A sink asked for `requested` elements and the sequence failed with `error` after `received`.
  case failedEarly(requested: Int, received: [String], error: any Error)

  /// A sink expected the end, or a failure, and got an element.
  case unexpectedElement(String)

  /// A sink expected a failure and the sequence finished.
  case unexpectedEnd

  /// A sink expected the end, or another kind of failure, and got `error`.
  case unexpectedFailure(any Error)

  /// A sink was asked for more after it had been cancelled.
  case sinkCancelled

  /// A stable word for the kind of failure.
  public var code: String {
    switch self {
    case .sourceEnded: "probe-source-ended"
    case .consumerGone: "probe-consumer-gone"
    case .endedEarly: "probe-ended-early"
    case .failedEarly: "probe-failed-early"
    case .unexpectedElement: "probe-unexpected-element"
    case .unexpectedEnd: "probe-unexpected-end"
    case .unexpectedFailure: "probe-unexpected-failure"
    case .sinkCancelled: "probe-sink-cancelled"
    }
  }

  /// What went wrong and what to do.
  public var description: String {
    switch self {
    case .sourceEnded:
      "the source probe has finished or failed and cannot send; send before ending it"
    case .consumerGone:
      "every iterator over the source probe is gone, so nobody can take the element; the consumer stopped early"
    case .endedEarly(let requested, let received):
      "asked for \(requested) element(s), but the sequence ended after \(received)"
    case .failedEarly(let requested, let received, let error):
      "asked for \(requested) element(s), but the sequence failed after \(received) with: \(error)"
    case .unexpectedElement(let element):
      "expected the sequence to be over, but it gave the element \(element)"
    case .unexpectedEnd:
      "expected a failure, but the sequence finished"
    case .unexpectedFailure(let error):
      "expected another outcome, but the sequence failed with: \(error)"
    case .sinkCancelled:
      "the sink probe was cancelled and cannot ask for more; ask before cancelling it"
    }
  }
}
