#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One operating-system thread that runs one closure and can be joined. SQLite blocks while it writes and waits for
/// locks, which the shared pool of Swift tasks must not do.
public struct DedicatedThread: Sendable {
  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// The thread's identity as an integer, since Darwin's is a pointer and so not `Sendable`.
  private let identity: UInt

  /// Starts the thread; nil when the system refuses another one.
  public init?(_ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(Start(body))
    #if canImport(Darwin)
      var thread: pthread_t?
      let result = pthread_create(&thread, nil, { Self.enter($0) }, start.toOpaque())
      identity = UInt(bitPattern: thread)
    #else
      var thread = pthread_t()
      let result = pthread_create(&thread, nil, { $0.flatMap { DedicatedThread.enter($0) } }, start.toOpaque())
      identity = UInt(thread)
    #endif
    guard result == 0 else {
      start.release()
      return nil
    }
  }

  /// Waits until the closure has returned. To be called at most once, and not after `detach`.
  public func join() {
    withThread { _ = pthread_join($0, nil) }
  }

  /// Gives up the right to join; the thread frees itself at its end.
  public func detach() {
    withThread { _ = pthread_detach($0) }
  }

  private func withThread(_ body: (pthread_t) -> Void) {
    #if canImport(Darwin)
      if let thread = pthread_t(bitPattern: identity) { body(thread) }
    #else
      body(pthread_t(identity))
    #endif
  }

  private static func enter(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
    return nil
  }
}
