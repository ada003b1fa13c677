extension Outlet {
  /// Passes elements through any function from one AsyncSequence to another, such as an operator of another library.
  ///
  /// Memory: the link, one chunk, and what the function's sequence holds.
  public consuming func via<Result: AsyncSequence>(
    _ name: String, limit: LinkLimit = .standard, file: StaticString = #fileID, line: UInt = #line,
    sequence transform: @escaping @Sendable (ProcessInput<Element>) -> Result
  ) -> Outlet<Result.Element>
  where Result.Element: Sendable, Result: SendableMetatype, Result.AsyncIterator: SendableMetatype {
    via(name, operation: "\(Result.self)", limit: limit, SourceLocation(file, line)) { input, output in
      for try await element in transform(input) where !(await output.send(element)) { return }
    }
  }

  consuming func via<Output: Sendable>(
    _ name: String, operation: String, limit: LinkLimit, _ location: SourceLocation,
    _ body: @escaping @Sendable (ProcessInput<Element>, ProcessOutput<Output>) async throws -> Void
  ) -> Outlet<Output> {
    let node = builder.addNode(name, .process, operation, location, holds: nil)
    connect(to: node)
    let link = builder.link(name, limit, "wait", written: false, location)
    let make = self.make
    return Outlet<Output>(builder, node, location, link: link) { segment in
      let run = segment.runContext
      let ring: Link<Output> = run.makeLink(link, node: node)
      let own = run.newSegment()
      let reader = make(own)
      let counter = own.addNode(node)
      let writer = WriterPort(ring, segment: own)
      own.seal { writer.finish(await runProcess(reader, writer, counter, body)) }
      return ReaderPort(ring, segment: segment)
    }
  }
}

extension Process {
  public func attach(to outlet: consuming Outlet<Input>, as placement: NodePlacement) -> Outlet<Output> {
    outlet.via(placement.name, operation: "\(Self.self)", limit: placement.limit, placement.location) { input, output in
      try await run(input, output)
    }
  }
}

private func runProcess<Input: Sendable, Output: Sendable>(
  _ reader: ChunkReader<Input>, _ writer: WriterPort<Output>, _ node: NodeRun,
  _ body: @Sendable (ProcessInput<Input>, ProcessOutput<Output>) async throws -> Void
) async -> LinkEnd {
  let current = CurrentToken()
  let input = ProcessInputState(reader, current: current, node: node)
  node.enter()
  do {
    try await body(ProcessInput(input), ProcessOutput(writer, current: current, node: node))
    input.close(settling: .stored)
    return .finished
  } catch PortInterruption.failed(let failure) {
    input.close(settling: .stored)
    return .failed(failure)
  } catch {
    let stopped = error is CancellationError && node.isCancelled
    if stopped || error is PortInterruption {
      input.close(settling: .abandoned)
      return .cancelled
    }
    input.close(settling: .failed)
    node.meter.countError()
    return .failed(node.fail(error))
  }
}

extension GraphBuilder {
  /// A source with a life of its own: a bridge's receiving side, a poll loop. It sends when it has something.
  ///
  /// Emits when the closure sends; waits while the link is full; finishes when the closure returns; fails when it
  /// throws; its task is cancelled on a drain and when downstream wants no more. Memory: the link.
  public func source<Output: Sendable>(
    _ name: String, of type: Output.Type = Output.self, limit: LinkLimit = .standard,
    policy: OverflowPolicy<Output> = .wait, file: StaticString = #fileID, line: UInt = #line,
    run body: @escaping @Sendable (ProcessOutput<Output>) async throws -> Void
  ) -> Outlet<Output> {
    let location = SourceLocation(file, line)
    let node = addNode(name, .source, "process", location)
    let link = link(name, limit, policy.name, written: false, location)
    return Outlet(self, node, location, link: link) { segment in
      let run = segment.runContext
      let ring = run.makeLink(link, node: node, policy: policy)
      let own = run.newSegment()
      let counter = own.addNode(node)
      let writer = WriterPort(ring, segment: own)
      own.seal(isIntake: true) {
        let nothing = ChunkReader<Never>(pull: { (_, _) async throws(PortInterruption) in false }, close: {})
        let end = await runProcess(nothing, writer, counter) { _, output in
          do {
            try await body(output)
          } catch  where counter.segment.isIntakeStopped {
            // An interrupted source is a stopped one: what it sent before flows on.
            counter.interrupted(by: error)
          }
        }
        writer.finish(end)
      }
      return ReaderPort(ring, segment: segment)
    }
  }
}
