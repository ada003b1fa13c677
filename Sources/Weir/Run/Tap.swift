import Synchronization

/// One element seen at a tap.
public struct TapSample: Sendable {
  /// Name of the node that emitted it.
  public let node: String
  /// The element.
  public let element: any Sendable
}

/// A window onto a running graph: iterate it to see what the tapped nodes emit. Ends with the run, or with ``close()``.
public struct Tap: AsyncSequence, Sendable {
  /// Names of the nodes that matched.
  public let nodes: [String]
  let link: Link<TapSample>
  let onClose: @Sendable () -> Void

  /// Samples that went unseen because nobody took them in time.
  public var skipped: UInt64 { link.counters.overflowed }

  /// Takes the tap off the graph.
  public func close() {
    onClose()
    link.closeReader()
  }

  public func makeAsyncIterator() -> OutletSequence<TapSample>.Iterator {
    OutletSequence(link).makeAsyncIterator()
  }
}

/// The open taps of one run.
final class TapRegistry: Sendable {
  private struct Entry: Sendable {
    let nodes: Set<Int>
    let link: Link<TapSample>
  }

  private struct State {
    var entries: [UInt64: Entry] = [:]
    var closed = false
  }

  private let state = Mutex(State())
  private let next = Atomic<UInt64>(0)

  func open(_ nodes: Set<Int>, names: [String], capacity: Int, in context: RunContext) -> Tap {
    let id = next.add(1, ordering: .relaxed).newValue
    let link = Link<TapSample>(limit: .elements(capacity), policy: .dropOldest)
    let closed = state.withLock { state in
      if !state.closed { state.entries[id] = Entry(nodes: nodes, link: link) }
      return state.closed
    }
    if closed { link.finish() } else { mark(context) }
    return Tap(nodes: names, link: link) { [weak self, weak context] in
      guard let self else { return }
      _ = self.state.withLock { $0.entries.removeValue(forKey: id) }
      if let context { self.mark(context) }
    }
  }

  /// The run has ended: ends every tap after what waits in it, and those that are opened later at once.
  func close() {
    let open = state.withLock { state in
      state.closed = true
      let open = state.entries.values.map(\.link)
      state.entries = [:]
      return open
    }
    for link in open { link.finish() }
  }

  /// Sets the flag that nodes look at once a chunk.
  private func mark(_ context: RunContext) {
    let watched = state.withLock { $0.entries.values.reduce(into: Set<Int>()) { $0.formUnion($1.nodes) } }
    for meter in context.meters { meter.tapped.store(watched.contains(meter.node), ordering: .relaxed) }
  }

  func offer(_ sample: TapSample, from node: Int) {
    let links = state.withLock { $0.entries.values.filter { $0.nodes.contains(node) }.map(\.link) }
    for link in links { _ = link.offer(sample) }
  }

  /// Whether a name matches a pattern in which `*` stands for any text.
  static func matches(_ name: String, _ pattern: String) -> Bool {
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
    guard let first = parts.first, let last = parts.last, name.hasPrefix(first) else { return false }
    if parts.count == 1 { return name == pattern }
    var rest = Substring(name.dropFirst(first.count))
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let end = rest.firstEnd(of: part) else { return false }
      rest = rest[end...]
    }
    return rest.hasSuffix(last)
  }
}

extension Substring {
  /// The index after the first occurrence of a text.
  fileprivate func firstEnd(of text: String) -> Index? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}

extension NodeRun {
  /// As the other, for a single element.
  @inlinable
  func showTaps<Element: Sendable>(_ element: Element) {
    if meter.tapped.load(ordering: .relaxed) { show(element) }
  }

  @usableFromInline
  func show(_ element: any Sendable) {
    segment.run.taps.offer(TapSample(node: name, element: element), from: meter.node)
  }

  /// Shows a tapped node's output to the taps. One relaxed load a chunk while there are none.
  @inlinable
  func showTaps<Element: Sendable>(_ chunk: borrowing Chunk<Element>) {
    if meter.tapped.load(ordering: .relaxed) { chunk.visit { show($0) } }
  }
}
