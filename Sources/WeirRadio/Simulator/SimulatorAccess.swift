/// When a simulated modem starts a frame that it has taken: in slots, or after listening by itself.
extension ModemSimulator {
  /// Whether it is set up to send in slots, as gateway or as terminal.
  var isSlotted: Bool { options.dialect.slot != nil && ["31", "32"].contains(settings["WORKMODE"] ?? "") }

  /// Whether a frame is taken now.
  var isInSlot: Bool {
    guard isSlotted else { return true }
    let now = clock.now
    return state.withLock { state in state.slotEnd.map { now < $0 } ?? false }
  }

  /// Announces slots as long as the settings say so.
  func announceSlots() async throws {
    while true {
      guard isSlotted, let notice = options.dialect.slot?.notice.text else {
        await slotting.wait()
        try Task.checkCancellation()
        continue
      }
      try await clock.sleep(for: options.slotPeriod)
      guard isSlotted else { continue }
      state.withLock { $0.slotEnd = clock.now + options.slotPeriod / 2 }
      say(words.text(notice))
    }
  }

  /// Accesses the channel as KISS says: looks at a slot, starts in a free one by chance, and keys the transmitter for a while. A modem
  /// that was told nothing starts at once.
  func accessChannel(_ channel: RadioChannel) async throws {
    let timing = state.withLock { $0.timing }
    guard !timing.isEmpty else { return }
    while true {
      let chance = state.withLock { $0.generator.index(below: 256) }
      if !medium.isBusy(at: radio, on: channel), chance <= timing[2] ?? 63 { break }
      try await clock.sleep(for: .milliseconds(10) * max(1, timing[3] ?? 10))
    }
    try await clock.sleep(for: .milliseconds(10) * (timing[1] ?? 50))
  }
}
