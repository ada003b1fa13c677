/// How the errors of two steps that become one are typed: chosen by the compiler, never named by hand.
///
/// Where one of the two cannot fail, the whole fails exactly as the other does; only two failing steps with different
/// errors need `any Error`.
public protocol FailurePair<First, Second>: Sendable {
  associatedtype First: Error
  associatedtype Second: Error
  /// The error of the whole.
  associatedtype Failure: Error

  /// The error of the whole when the first step fails.
  static func first(_ error: First) -> Failure
  /// The error of the whole when the second step fails.
  static func second(_ error: Second) -> Failure
}

/// Neither of two steps can fail.
@frozen
public enum NeitherFails: FailurePair {
  /// When the first step fails.
  @inlinable public static func first(_ error: Never) -> Never {}
  /// When the second step fails.
  @inlinable public static func second(_ error: Never) -> Never {}
}

/// Only the first of two steps can fail.
@frozen
public enum FirstFails<First: Error>: FailurePair {
  /// When the first step fails.
  @inlinable public static func first(_ error: First) -> First { error }
  /// When the second step fails.
  @inlinable public static func second(_ error: Never) -> First {}
}

/// Only the second of two steps can fail.
@frozen
public enum SecondFails<Second: Error>: FailurePair {
  /// When the first step fails.
  @inlinable public static func first(_ error: Never) -> Second {}
  /// When the second step fails.
  @inlinable public static func second(_ error: Second) -> Second { error }
}

/// Both of two steps can fail.
@frozen
public enum EitherFails<First: Error, Second: Error>: FailurePair {
  /// When the first step fails.
  @inlinable public static func first(_ error: First) -> any Error { error }
  /// When the second step fails.
  @inlinable public static func second(_ error: Second) -> any Error { error }
}
