/// Lets one frame through for each slot that the modem announces, where it sends in slots. A value.
///
/// A notice that comes while no frame waits is of no use to a later one: its slot may be over by then.
struct SlotGate: Sendable {
  let slot: ModemDialect.Slot?
  /// Whether the modem is set up to send in slots.
  var isSlotted = false
  private var isOpen = false
  private var waitsSince: Duration?

  init(_ slot: ModemDialect.Slot?) { self.slot = slot }

  /// Whether the frame that is first may be handed over.
  var admits: Bool { !isSlotted || slot == nil || isOpen }

  /// When the frame that waits has waited too long.
  var deadline: Duration? { slot.flatMap { slot in waitsSince.map { $0 + slot.patience } } }

  /// A frame is first, and would be handed over but for its slot.
  mutating func wait(at now: Duration) { if !admits, waitsSince == nil { waitsSince = now } }

  /// The frame that waited was handed over, or waits no more.
  mutating func leave() { (isOpen, waitsSince) = (false, nil) }

  /// The modem said something unasked.
  mutating func hear(_ line: String) {
    if waitsSince != nil, let slot, slot.notice.fits(line) { isOpen = true }
  }
}
