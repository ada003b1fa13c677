import Synchronization

@testable import Weir

// The lock of the module under test: in builds for the thread sanitizer it is one that the sanitizer knows.
#if WEIR_THREAD_SANITIZER
  typealias TestMutex = Weir.Mutex
#else
  typealias TestMutex = Synchronization.Mutex
#endif
