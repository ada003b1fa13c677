import Weir

/// What a failure says of itself: whether it passes, and which others are like it.
struct FailureKind: Sendable {
  /// Whether the same may succeed later without any repair.
  let isTransient: Bool
  /// The hook that failed, the type of what was thrown, and its code where it has one.
  let name: String

  init(_ error: any Error) {
    let hook = error as? HookFailure
    let cause = hook?.cause ?? error
    isTransient = (cause as? any RetryableError)?.isRetryable ?? false
    let type = String(reflecting: Swift.type(of: cause))
    name = [hook?.id.uuidString, type, (cause as? any CodedError)?.code].compactMap { $0 }.joined(separator: " ")
  }
}
