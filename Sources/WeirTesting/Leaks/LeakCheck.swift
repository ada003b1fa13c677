import Synchronization

/// Watches objects without keeping them alive, and names those that should be gone and are not.
///
/// Memory: one entry a tracked object, for the life of the check.
public final class LeakCheck: Sendable {
  private let entries = Mutex<[WeakEntry]>([])

  /// Makes a check that watches nothing yet.
  public init() {}

  /// Starts to watch `object` under `name` and returns it, so that it can be tracked where it is made.
  @discardableResult
  public func track<Object: AnyObject>(_ object: Object, _ name: String) -> Object {
    let entry = WeakEntry(name: name, object: object)
    entries.withLock { $0.append(entry) }
    return object
  }

  /// The names of the tracked objects that are alive, in the order in which they were tracked.
  public var survivors: [String] {
    entries.withLock { $0.filter(\.isAlive).map(\.name) }
  }

  /// How many objects have been tracked.
  public var trackedCount: Int { entries.withLock { $0.count } }

  /// Checks that all tracked objects are gone.
  ///
  /// - Throws: ``LeakError`` with the names of those that are not; `LeakError` with no names when nothing was ever
  ///   tracked, since such a check proves nothing.
  public func verify() throws(LeakError) {
    let alive = survivors
    guard alive.isEmpty, trackedCount > 0 else { throw LeakError(survivors: alive) }
  }
}

/// Objects outlived the run that made them.
public struct LeakError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The names under which they were tracked; empty when nothing was tracked at all.
  public var survivors: [String]

  /// A stable word for the kind of failure.
  public var code: String { survivors.isEmpty ? "leak-nothing-tracked" : "leak-survivors" }

  /// What went wrong and what to do.
  public var description: String {
    guard !survivors.isEmpty else { return "nothing was tracked, so nothing was checked; track objects first" }
    return """
      \(survivors.count) object(s) still alive: \(survivors.joined(separator: ", ")). Look for a task that never ended, \
      a stored closure, or a reference cycle.
      """
  }
}

/// A name and a weak reference.
///
/// Sendable although the object may not be: the reference is only compared with nil, never used to reach the object's
/// state; loading a weak reference is safe against the object's release on another thread; and the variable itself is
/// never written after `init`.
private struct WeakEntry: @unchecked Sendable {
  let name: String
  private weak var object: AnyObject?

  init(name: String, object: AnyObject) {
    self.name = name
    self.object = object
  }

  var isAlive: Bool { object != nil }
}
