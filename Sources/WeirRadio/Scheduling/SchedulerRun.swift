import Weir

extension RadioFrameScheduler {
  /// Sends until the task is cancelled. One run at a time.
  /// - Throws: ``RadioError`` `busy` when it runs already, `stopped` when it has run before, `ledgerFailed` when time on air can
  ///   not be noted: nothing is sent that might not be counted.
  public func run() async throws(RadioError) {
    let refusal: RadioError? = change { core in
      if core.isStopped { return RadioError(.stopped, "the scheduler has stopped; make a new one") }
      if core.isRunning { return RadioError(.busy, "the scheduler runs already") }
      core.isRunning = true
      return nil
    }
    if let refusal { throw refusal }
    defer { change { $0.stop(at: clock.now) } }
    var listener = ChannelListener()
    while !Task.isCancelled {
      switch change({ $0.step(at: clock.now) }) {
      case .wait(let until): await bell.wait(until: until, clock)
      case .onAir: await bell.wait()
      case .ready(let frameClass):
        // What is first may be dropped from a standing queue: then there is nothing to listen for.
        if listening != nil, let channel = change({ $0.state.nextChannel(at: clock.now) }) {
          guard await isFree(channel, for: frameClass, &listener) else { continue }
          // Meanwhile something else may have become the first, for another channel.
          let next = change { $0.state.nextChannel(at: clock.now) }
          if let next, next != channel { continue }
        }
        guard let transmission = change({ $0.state.take(at: clock.now) }) else { continue }
        try await transmit(transmission)
      }
    }
  }

  /// Sends one frame and says what became of it.
  private func transmit(_ transmission: SchedulerState.Transmission) async throws(RadioError) {
    do {
      try note(transmission.airtime, on: transmission.channel, at: clock.now)
    } catch {
      change { $0.state.finished(error, at: clock.now) }
      throw error
    }
    let (error, measured) = await sendGuarded(
      transmission.frame.payload, on: transmission.channel, airtime: transmission.airtime)
    change { core in
      core.state.finished(error, measured: measured, at: clock.now)
      core.ring()
    }
    if error?.kind == .sendTimedOut { await recover() }
    let rest = change { $0.state.turnAround }
    if rest > .zero { try? await clock.sleep(for: rest) }
  }

  /// Sends a frame, and does not wait longer for the modem than it can need: a confirmation that never comes must not hold the
  /// radio for ever, nor count for the frame after.
  /// - Returns: why it was not sent, and how long it was on the air as far as can be seen.
  func sendGuarded(
    _ payload: [UInt8], on channel: RadioChannel, airtime: Duration
  ) async -> (error: RadioError?, measured: Duration?) {
    let transfer = radio.transferTime(bytes: payload.count)
    let delay = radio.startDelay
    let patience = transfer + delay + airtime * 3 / 2 + .seconds(1)
    let start = clock.now
    let error = await withTaskGroup(of: RadioError?.self) { group in
      group.addTask { [radio] in
        do {
          try await radio.send(payload, on: channel)
          return nil
        } catch let error as RadioError {
          return error
        } catch is CancellationError {
          return RadioError(.stopped, "the scheduler was stopped while the frame was on its way")
        } catch {
          return RadioError(.sendFailed, "\(error)")
        }
      }
      group.addTask { [clock] in
        do {
          try await clock.sleep(for: patience)
        } catch {
          return RadioError(.stopped, "the scheduler was stopped while the frame was on its way")
        }
        return RadioError(
          .sendTimedOut, "the modem said nothing for \(patience), \(payload.count) bytes take \(airtime)")
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    // Of a frame that waits in the modem nobody sees when it began.
    return (error, error == nil && delay == .zero ? clock.now - start - transfer : nil)
  }

  /// Looks after a radio in an unknown state; one that cannot be put in order is quarantined.
  func recover() async {
    change { $0.state.count { $0.recoveries &+= 1 } }
    do {
      try await radio.recover()
    } catch {
      if Task.isCancelled { return }
      change { $0.state.count { $0.recoveryFailures &+= 1 } }
      change { $0.quarantine("the modem could not be recovered: \(error)") }
    }
  }
}
