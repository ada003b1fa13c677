import InboxScreen
import Synchronization
import Weir
import WeirChat

/// The end of the graph: takes all input that is ready into the model, then draws what has changed, once.
struct Drawing: AsyncChunkStage {
  private var model = InboxModel(columns: Terminal.size.columns, rows: Terminal.size.rows)
  private var drawn: [ScreenLine]?
  private let hub: EventHub
  private let selection: Selection
  private let quit: Request<Void>

  init(hub: EventHub, selection: Selection, quit: Request<Void>) {
    (self.hub, self.selection, self.quit) = (hub, selection, quit)
  }

  mutating func process(_ inputs: [InboxModel.Input], _ emit: (Never) -> Void) async {
    for input in inputs {
      // What a terminal shows after a change of its size is anything.
      if case .resize = input { drawn = nil }
      switch model.take(input) {
      case .select(let conversation):
        selection.wish = conversation
        // The page depends on something new: have it queried.
        hub.invalidateEverything()
      case .quit:
        quit.complete(.success(()))
        return
      case nil: break
      }
    }
    let lines = InboxScreen.lines(model)
    Terminal.draw(lines, over: drawn)
    drawn = lines
  }
}

/// The conversation whose messages the next page is to show.
final class Selection: Sendable {
  private let state = Mutex<String?>(nil)

  var wish: String? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
