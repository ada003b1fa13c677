extension GraphBuilder {
  /// A source fed by a callback API: a delegate, a C library, a hardware driver.
  ///
  ///     graph.callbackSource("radio", of: Frame.self, limit: .elements(64)) { emitter in
  ///       emitter.onDemand { _ in radio.resume() }
  ///       emitter.onEnd { _ in radio.stop() }
  ///       radio.start { frame in
  ///         if emitter.yield(frame) == .full { radio.pause(keeping: frame) }
  ///       }
  ///     }
  ///
  /// - Emits when: the emitter yields.
  /// - Waits when: never; the producer is told that there is no room, or the policy applies.
  /// - Finishes when: the emitter finishes, or the run is drained: what was yielded before flows on.
  /// - Cancels when: downstream does; the emitter's `onEnd` handler hears of it.
  /// - Memory: the link.
  /// - Errors: what the emitter fails with, what `register` throws, and ``LinkOverflow`` with the policy `fail`.
  /// - Parameters:
  ///   - limit: how much may wait between the callbacks and the graph.
  ///   - policy: what happens when that is full; with `wait` and `expire` the producer keeps the element.
  ///   - weigh: bytes of an element, for limits in bytes.
  ///   - register: called once at the start of every run, in the source's task; it must not wait for elements.
  public func callbackSource<Element: Sendable>(
    _ name: String, of type: Element.Type = Element.self, limit: LinkLimit = .standard,
    policy: OverflowPolicy<Element> = .wait, weigh: (@Sendable (Element) -> Int)? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ register: @escaping @Sendable (CallbackEmitter<Element>) throws -> Void
  ) -> Outlet<Element> {
    let location = SourceLocation(file, line)
    let node = addNode(name, .source, "callbacks", location)
    let link = link(name, limit, policy.name, written: true, location)
    return Outlet(self, node, location, link: link) { segment in
      let run = segment.runContext
      let ring = run.makeLink(link, node: node, policy: policy, weigh: weigh)
      let own = run.newSegment()
      let counter = own.addNode(node)
      let writer = WriterPort(ring, segment: own)
      let emitter = CallbackEmitter<Element>(.init(link: ring, writer: writer, node: counter))
      own.addCloser { emitter.bell.ring() }
      own.seal(isIntake: true) {
        await serve(emitter, link: ring, segment: own, register)
      }
      return ReaderPort(ring, segment: segment)
    }
  }
}

/// The task of a callback source: registers, announces demand, ends.
private func serve<Element: Sendable>(
  _ emitter: CallbackEmitter<Element>, link: Link<Element>, segment: Segment,
  _ register: @Sendable (CallbackEmitter<Element>) throws -> Void
) async {
  segment.enterIdle()
  await withTaskCancellationHandler {
    do {
      try register(emitter)
    } catch {
      emitter.fail(error)
    }
    while !emitter.isOver, !segment.isIntakeStopped, !link.isClosed {
      if let weight = emitter.wantedWeight {
        guard await link.waitForRoomOrCancellation(weight: weight), !link.isClosed else { break }
        emitter.announceDemand()
      } else {
        await emitter.bell.wait()
      }
    }
  } onCancel: {
    emitter.bell.ring()
  }
  emitter.stop()
}
