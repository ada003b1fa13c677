// In builds for the thread sanitizer the lock is one that it knows.
#if WEIR_THREAD_SANITIZER
  import Weir

  typealias Mutex = SanitizedMutex
#endif
