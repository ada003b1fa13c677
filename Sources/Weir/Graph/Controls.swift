import Synchronization

/// Ends a running graph, or a part of it, from outside. Using it again, or after the end, does nothing.
public final class KillSwitch: Sendable {
  private struct State {
    var used = false
    var actions: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  /// Whether the switch has been used.
  public var isUsed: Bool { state.withLock { $0.used } }

  /// Ends the flow at every place that hangs on the switch: downstream gets what waits there and then the end, upstream
  /// is cancelled. A switch without places stops the intake of every source.
  public func shutdown() {
    let actions = state.withLock { state in
      state.used = true
      let actions = state.actions
      state.actions = []
      return actions
    }
    for action in actions { action() }
  }

  func add(_ action: @escaping @Sendable () -> Void) {
    let already = state.withLock { state in
      if !state.used { state.actions.append(action) }
      return state.used
    }
    if already { action() }
  }

  func forget() { state.withLock { $0.actions = [] } }
}

extension GraphBuilder {
  /// A switch that ends the run, or the places that ``Outlet/killable(_:by:file:line:)`` hangs on it.
  public func killSwitch(_ name: String) -> Handle<KillSwitch> {
    let handle = Handle<KillSwitch>(newHandle())
    addRoot { run in
      let killSwitch = KillSwitch()
      run.setHandle(handle.id, killSwitch)
      run.onEnd { killSwitch.forget() }
    }
    switches[handle.id] = name
    // The switch must exist before the places that use it: roots run in order, and this one is declared first.
    addLateRoot { run in
      guard !run.hasPlaces(handle.id), let killSwitch = run.handle(handle.id) as? KillSwitch else { return }
      killSwitch.add { [weak run] in run?.stopIntake() }
    }
    return handle
  }

  /// The elements that nodes give up on, as a port: what failed, where and why.
  ///
  /// Emits whenever a node gives an element up; never makes the node wait: when the link is full the oldest letter goes,
  /// counted at the link; finishes when every task that does not lie behind it has ended. Nodes behind the port do not
  /// feed it themselves. A zip, sorted merge or concat that would wait for itself, because it joins the letters with the
  /// flow they come from, is a fault. Memory: the limit.
  public func deadLetters(
    _ name: String = "dead-letters", limit: LinkLimit = .elements(1024), file: StaticString = #fileID,
    line: UInt = #line
  ) -> Outlet<DeadLetter> {
    let location = SourceLocation(file, line)
    let node = addNode(name, .source, "dead letters", location)
    if let other = deadLetterNode {
      addFault(
        .duplicateName, name, "the graph has two dead-letter ports; the first is \"\(nodes[other].name)\"", location)
    }
    deadLetterNode = node
    let link = link(name, limit, OverflowPolicy<DeadLetter>.dropOldest.name, written: false, location)
    return Outlet(self, node, location, link: link) { segment in
      let run = segment.runContext
      let ring: Link<DeadLetter> = run.makeLink(link, node: node, policy: .dropOldest)
      run.deadLetters.attach(ring, behind: Topology.behind(node, run.edges).union([node]))
      return ReaderPort(ring, segment: segment)
    }
  }
}

extension Outlet {
  /// A place where a kill switch can end the flow. Makes a link.
  public consuming func killable(
    _ name: String, by handle: Handle<KillSwitch>, limit: LinkLimit = .standard, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Outlet<Element> {
    let location = SourceLocation(file, line)
    let node = builder.addNode(name, .killSwitch, "kill switch", location, traits: NodeTraits(isOneToOne: true))
    if builder.switches[handle.id] == nil {
      builder.addFault(
        .foreignPort, name, "\"\(name)\" hangs on a kill switch of another blueprint; make one in this graph", location)
    }
    connect(to: node)
    let link = builder.link(name, limit, "wait", written: true, location)
    let make = self.make
    return Outlet(builder, node, location, link: link) { segment in
      let run = segment.runContext
      let port = makeLink(link, node: node, policy: .wait, weigh: nil, counted: true, upstream: make, for: segment)
      run.addPlace(handle.id)
      (run.handle(handle.id) as? KillSwitch)?.add { [link = port.link] in link.shutdown() }
      return port
    }
  }

  /// Follows every element that passes here until it has settled in all its copies; the handle gives the ledger.
  ///
  /// Emits what comes in; waits, finishes and cancels as its neighbours do. Memory: one ledger slot and one token for
  /// each element under way downstream.
  /// - Parameter onAdvance: called after the settled prefix has moved; see ``SettlementLedger``.
  public consuming func tracked(
    _ name: String, by handle: Handle<SettlementLedger>, file: StaticString = #fileID, line: UInt = #line,
    onAdvance: (@Sendable (UInt64) -> Void)? = nil
  ) -> Outlet<Element> {
    let location = SourceLocation(file, line)
    let node = builder.addNode(name, .tracker, "tracker", location, traits: NodeTraits(isOneToOne: true))
    builder.claimLedger(handle.id, for: name, location)
    connect(to: node)
    let make = self.make
    return Outlet(builder, node, location) { segment in
      let ledger = SettlementLedger(onAdvance: onAdvance)
      segment.run.setHandle(handle.id, ledger)
      segment.run.add(ledger)
      let upstream = make(segment)
      let node = segment.addNode(node)
      return ChunkReader<Element>(
        pull: { (out, limit) async throws(PortInterruption) -> Bool in
          guard try await upstream.pull(&out, limit) else { return false }
          var plain = Chunk<Element>()
          swap(&plain, &out)
          while let (element, token) = plain.popFirstTracked() {
            let own = ledger.issue()
            out.append(element, token: token.map { Settlement.merging([$0, own]) ?? own } ?? own)
          }
          node.pass(out.count)
          node.showTaps(out)
          return true
        },
        close: { upstream.close() })
    }
  }
}

extension GraphBuilder {
  /// A ledger for one ``Outlet/tracked(_:by:file:line:onAdvance:)`` port; a second one is a fault.
  public func ledger() -> Handle<SettlementLedger> {
    let handle = Handle<SettlementLedger>(newHandle())
    ledgers[handle.id] = .some(nil)
    return handle
  }

  /// A ledger numbers the elements of one tracker: a second one would hide the first.
  fileprivate func claimLedger(_ handle: Int, for name: String, _ location: SourceLocation) {
    switch ledgers[handle] {
    case .none:
      addFault(.foreignPort, name, "\"\(name)\" has a ledger of another blueprint; make one in this graph", location)
    case .some(.some(let other)):
      let message = "\"\(name)\" has the ledger that follows \"\(other)\"; make a ledger for each tracker"
      addFault(.badStage, name, message, location)
    case .some(.none):
      ledgers[handle] = name
    }
  }
}
