#if WEIR_THREAD_SANITIZER
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Darwin
  #endif

  /// Takes the place of `Synchronization.Mutex` in builds for the thread sanitizer (`-DWEIR_THREAD_SANITIZER`).
  ///
  /// The contended path of the standard library's mutex is not instrumented on Linux, so the sanitizer reports a race
  /// for everything it protects. It knows pthread's.
  @usableFromInline
  package struct SanitizedMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Safety: the value is touched only in `withLock`, under the pthread mutex; both live at fixed addresses.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    @usableFromInline
    package init(_ value: consuming sending Value) {
      lock = .allocate(capacity: 1)
      pthread_mutex_init(lock, nil)
      self.value = .allocate(capacity: 1)
      self.value.initialize(to: value)
    }

    @usableFromInline
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return try body(&value.pointee)
    }

    deinit {
      value.deinitialize(count: 1)
      value.deallocate()
      pthread_mutex_destroy(lock)
      lock.deallocate()
    }
  }

  // Each module that locks has this line: its own name goes before the one it imports.
  @usableFromInline
  typealias Mutex = SanitizedMutex
#endif
