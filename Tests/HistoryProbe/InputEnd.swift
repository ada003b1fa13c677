import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Tells whether the input of the process has ended, which is how a test asks it to finish.
final class InputEnd: Sendable {
  private let ended = Atomic<Bool>(false)

  var hasEnded: Bool { ended.load(ordering: .acquiring) }

  func end() { ended.store(true, ordering: .releasing) }
}

/// Waits for the end of the input on a thread of its own.
func inputEnd() -> InputEnd {
  let end = InputEnd()
  let waiter = DedicatedWaiter {
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
    end.end()
  }
  waiter.start()
  return end
}

/// A detached thread.
struct DedicatedWaiter {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func start() {
    let box = Unmanaged.passRetained(Box(body))
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    let result = pthread_create(
      &thread, nil,
      { argument in
        #if canImport(Glibc)
          guard let argument else { return nil }
        #endif
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    if result != 0 { box.release() }
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
