import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Brings events to the main actor, one after the other.
///
/// Nothing of a transfer waits for it. Of progress that nobody has looked at only the newest is kept, so a slow handler holds up
/// nothing and lets nothing pile up; starts and ends are never left out (radio study, C37 and C43).
final class EventLine: Sendable {
  enum Item: Sendable {
    case event(FileTransferEvent)
    case message(source: UInt8, Data)
  }

  typealias EventHandler = @MainActor @Sendable (FileTransferEvent) -> Void
  typealias MessageHandler = @MainActor @Sendable (UInt8, Data) -> Void

  private struct State {
    var onEvent: EventHandler?
    var onMessage: MessageHandler?
    var items: [Item] = []
    var isDelivering = false
  }

  private let state = Mutex(State())

  var onEvent: EventHandler? {
    get { state.withLock { $0.onEvent } }
    set { state.withLock { $0.onEvent = newValue } }
  }

  var onMessage: MessageHandler? {
    get { state.withLock { $0.onMessage } }
    set { state.withLock { $0.onMessage = newValue } }
  }

  func push(_ item: Item) {
    let starts = state.withLock { state in
      if case .event = item, state.onEvent == nil { return false }
      if case .message = item, state.onMessage == nil { return false }
      if let last = state.items.last, last.isReplaced(by: item) { state.items.removeLast() }
      state.items.append(item)
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    if starts { Task { @MainActor in self.deliver() } }
  }

  @MainActor private func deliver() {
    while true {
      let next = state.withLock { state -> (Item, EventHandler?, MessageHandler?)? in
        guard !state.items.isEmpty else {
          state.isDelivering = false
          return nil
        }
        return (state.items.removeFirst(), state.onEvent, state.onMessage)
      }
      guard let (item, onEvent, onMessage) = next else { return }
      switch item {
      case .event(let event): onEvent?(event)
      case .message(let source, let data): onMessage?(source, data)
      }
    }
  }
}

extension EventLine.Item {
  fileprivate func isReplaced(by newer: EventLine.Item) -> Bool {
    switch (self, newer) {
    case (.event(.sendProgress), .event(.sendProgress)), (.event(.receiveProgress), .event(.receiveProgress)): true
    default: false
    }
  }
}
