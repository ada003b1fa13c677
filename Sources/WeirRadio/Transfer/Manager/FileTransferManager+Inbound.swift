import Weir

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FileTransferManager {
  /// Takes a payload that the radio has heard. To be told of each once, in the order of hearing; never waits.
  /// - Parameters:
  ///   - payload: as it was heard.
  ///   - metadata: how it was heard.
  ///   - localShortID: the station that this is.
  ///   - controlKeyForSource: the key of a station, 16 bytes, or nil; asked only for undamaged frames that offer this station a
  ///     file. There is no other key than what it says.
  /// - Returns: whose the payload is. Only what is `notOwned` may be handed to anybody else.
  public func handleInbound(
    _ payload: Data, metadata: FileTransferInboundMetadata = FileTransferInboundMetadata(), localShortID: UInt8,
    controlKeyForSource: (UInt8) -> Data?
  ) -> FileTransferOwnership {
    let bytes = Array(payload)
    let active = desk.active
    var key: ControlKey?
    var isPast = false
    let reading = TransferPacket.read(bytes, at: localShortID) { header in
      if header.type == .initiation {
        key = controlKeyForSource(header.source).flatMap { try? ControlKey($0) }
        return key.map { .control($0) }
      }
      if let found = active?.run.credentials?.authentication(for: header) { return found }
      isPast = true
      return desk.past.reversed().lazy.compactMap { $0.authentication(for: header) }.first
    }
    switch reading {
    case .notOwned:
      hearForeign(bytes, active)
      return .notOwned
    case .rejected(let error):
      if error.kind == .invalidTarget { hearForeign(bytes, active) }
      return .rejected(FileTransferError(error))
    case .accepted(let packet):
      let signal = TransferSignal(snr: metadata.snr, rssi: metadata.rssiDbm)
      guard let key else {
        if !isPast { active?.run.hear(packet, signal) }
        return .consumed
      }
      return receive(packet, signal, key)
    }
  }

  /// What others say puts off whatever is waited for.
  private func hearForeign(_ bytes: [UInt8], _ active: TransferDesk.Active?) {
    active?.run.hearForeign(options.pacing.modulation.timeOnAir(bytes: bytes.count))
  }

  private func receive(_ packet: TransferPacket, _ signal: TransferSignal, _ key: ControlKey) -> FileTransferOwnership {
    let nonce: UInt64
    switch packet.frame {
    case .initiation(let initiation): nonce = initiation.nonce
    case .fileInitiation(let initiation): nonce = initiation.nonce
    default: return .rejected(.protocolMalformed)
    }
    if case .receive(let run, packet.source, nonce) = desk.active {
      run.hear(packet, signal)
      return .consumed
    }
    // A late copy of an offer that was taken before.
    if desk.hasTaken(TransferDesk.Offer(source: packet.source, version: packet.version, nonce: nonce)) {
      return .consumed
    }
    let machine: any TransferMachine
    do {
      machine = try makeReceiver(packet, key)
    } catch {
      return .rejected(error)
    }
    let run = makeRun(machine, from: packet.source, totalBytes: packet.contentLength)
    guard let ticket = desk.open(.receive(run, source: packet.source, nonce: nonce)) else {
      // Who offers something new does not wait for anything of the old.
      if case .receive(let other, packet.source, _) = desk.active { other.supersede() }
      return .rejected(.busy)
    }
    Task(executorPreference: options.executor) { [self] in
      let end = await run.run()
      finish(run, end, from: packet.source, ticket)
    }
    return .consumed
  }

  private func refusal(_ source: UInt8, _ bytes: Int) -> TransferRefusal? {
    arrivals.isFull ? .noSpace : options.admission(source, bytes)
  }

  private func makeReceiver(_ packet: TransferPacket, _ key: ControlKey) throws(FileTransferError)
    -> any TransferMachine
  {
    switch packet.frame {
    case .initiation(let initiation):
      return try BurstReceiver(
        initiation, number: packet.session, from: packet.source, to: packet.destination, key: key,
        pacing: options.pacing, nonce: options.nonce(),
        refusal: refusal(packet.source, initiation.originalLength),
        partial: desk.partial(for: initiation, from: packet.source, at: options.clock.now))
    case .fileInitiation(let initiation):
      // A silent receiver cannot say that it has no room.
      guard refusal(packet.source, initiation.length) == nil else { throw .busy }
      return try PhyReceiver(
        initiation, number: packet.session, from: packet.source, to: packet.destination, key: key,
        pacing: options.pacing)
    default: throw .protocolMalformed
    }
  }

  private func makeRun(_ machine: any TransferMachine, from source: UInt8, totalBytes: Int) -> TransferRun {
    TransferRun(options, transport, acquireRadioLease, machine: machine) { [line] report in
      switch report {
      case .started(let total): line.push(.event(.receiveStarted(source: source, totalBytes: total)))
      case .progress(let done, let total, let isWeak):
        let fraction = Double(done) / Double(max(1, total))
        line.push(
          .event(
            .receiveProgress(
              FileTransferProgress(fractionCompleted: fraction, totalBytes: totalBytes, weakSignal: isWeak))))
      case .message(let bytes): line.push(.message(source: source, Data(bytes)))
      }
    }
  }

  private func finish(_ run: TransferRun, _ end: TransferRun.End, from source: UInt8, _ ticket: UInt64) {
    if let partial = end.partial {
      desk.keep(partial, at: options.clock.now)
      try? options.partials?.save(partial)
    }
    var data: Data?
    if case .received(let bytes) = end.ending {
      data = Data(bytes)
      if let key = run.partialKey {
        desk.drop(key)
        options.partials?.drop(key)
      }
    }
    if run.hasStarted {
      line.push(.event(.receiveFinished(source: source, data: data, result: end.result)))
    }
    if run.hasStarted { arrivals.tell(FileArrival(source: source, data: data, result: end.result)) }
    desk.close(ticket, run.credentials)
  }
}

extension TransferPacket {
  /// Bytes of the file that is offered; 0 in other frames.
  fileprivate var contentLength: Int {
    switch frame {
    case .initiation(let initiation): initiation.originalLength
    case .fileInitiation(let initiation): initiation.length
    default: 0
    }
  }
}
