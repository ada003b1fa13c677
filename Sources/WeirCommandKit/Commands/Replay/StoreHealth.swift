import Synchronization
import WeirStore

/// Tells the user once when the store stops working, and once when it works again.
final class StoreHealth: Sendable {
  private let notices: Notices
  private let patience: Int
  private let isFailing = Mutex(false)

  init(notices: Notices, patience: Int) {
    self.notices = notices
    self.patience = patience
  }

  func failed(_ error: StoreError) {
    let isFirst = isFailing.withLock { isFailing in
      defer { isFailing = true }
      return !isFailing
    }
    guard isFirst, error.isRetryable, patience > 0 else { return }
    notices.post("\(error.code): \(error.detail); trying again for up to \(Humane.duration(.seconds(patience)))")
  }

  func worked() {
    let hadFailed = isFailing.withLock { isFailing in
      defer { isFailing = false }
      return isFailing
    }
    if hadFailed { notices.post("the store works again") }
  }
}
