/// The most memory a run of a blueprint can hold, from its limits alone.
///
/// Counts elements in place (`MemoryLayout.stride`), or by weight where a link limits bytes; what elements refer to is
/// in it only where a link weighs it.
public struct MemoryBound: Sendable, Hashable, CustomStringConvertible {
  /// Most elements in links and in the hands of nodes; nil when a link or a node has no bound, or a link limits bytes
  /// alone.
  public let elements: Int?
  /// Most bytes of links, chunks, stages and tasks; nil when a link or a node has no bound.
  public let bytes: Int?
  /// Names of the links and nodes without a bound: those without a limit, and links that combine tracked elements.
  public let unbounded: [String]

  /// Bytes for a task with its stack and ports, and once more for each node with what describes and counts it: together more
  /// than an idle node was measured to take, with its task and link 5.1 KiB, 6.6 where it is asynchronous.
  static let bytesPerTask = 4096
  /// A link keeps at most this many emptied chunks, and its two ends hold one each.
  static let chunksPerLink = 4

  init(nodes: [NodeDescription], edges: [EdgeDescription], chunkSize: Int) {
    var sum = Sum(chunkSize: chunkSize)
    var strides = [Int](repeating: 0, count: nodes.count)
    for edge in edges {
      strides[edge.to] = max(strides[edge.to], edge.stride)
      strides[edge.from] = max(strides[edge.from], edge.stride)
      if let link = edge.link { sum.add(link, stride: edge.stride) } else { sum.addChunk(stride: edge.stride) }
    }
    // However many elements are combined, each that is tracked keeps its token until the combination is settled.
    if nodes.contains(where: { $0.kind == .tracker }) {
      for case let link? in edges.map(\.link) where link.policy == "conflate" { sum.unbounded.append(link.name) }
    }
    for (index, node) in nodes.enumerated() {
      sum.bytes.addClamped((node.tasks + 1) * MemoryBound.bytesPerTask)
      if let holds = node.holds {
        sum.elements.addClamped(holds)
        sum.bytes.addClamped(holds.timesClamped(strides[index]))
      } else {
        sum.unbounded.append(node.name)
      }
    }
    unbounded = sum.unbounded
    elements = sum.unbounded.isEmpty && sum.countsElements ? sum.elements : nil
    bytes = sum.unbounded.isEmpty ? sum.bytes : nil
  }

  private struct Sum {
    let chunkSize: Int
    var elements = 0
    var bytes = 0
    /// False once a link limits bytes alone: light elements may be very many.
    var countsElements = true
    var unbounded: [String] = []

    init(chunkSize: Int) { self.chunkSize = chunkSize }

    mutating func addChunk(stride: Int) {
      elements.addClamped(chunkSize)
      bytes.addClamped(chunkSize.timesClamped(stride))
    }

    mutating func add(_ link: LinkDescription, stride: Int) {
      let chunk = min(chunkSize, link.limit.elements ?? chunkSize)
      bytes.addClamped(chunk.timesClamped(MemoryBound.chunksPerLink).timesClamped(stride))
      elements.addClamped(chunk.timesClamped(2))
      if link.limit.isUnbounded { unbounded.append(link.name) }
      if let most = link.limit.elements { elements.addClamped(most) } else { countsElements = false }
      // A limit in bytes counts what elements refer to, so it may well be above what they occupy in place.
      bytes.addClamped(link.limit.bytes ?? link.limit.elements?.timesClamped(stride) ?? 0)
    }
  }

  public var description: String {
    guard let bytes else {
      return "none: \(unbounded.map { "\"\($0)\"" }.joined(separator: ", ")) has no limit of its own"
    }
    guard let elements else { return MemoryBound.humane(bytes) }
    return "\(elements) elements, \(MemoryBound.humane(bytes))"
  }

  private static func humane(_ bytes: Int) -> String {
    var value = Double(bytes)
    var unit = "bytes"
    for next in ["KiB", "MiB", "GiB", "TiB"] where value >= 1024 {
      value /= 1024
      unit = next
    }
    if unit == "bytes" { return "\(bytes) bytes" }
    let tenths = Int((value * 10).rounded(.up))
    return "\(tenths / 10).\(tenths % 10) \(unit)"
  }
}

extension Int {
  fileprivate mutating func addClamped(_ other: Int) {
    let (sum, overflow) = addingReportingOverflow(other)
    self = overflow ? .max : sum
  }

  fileprivate func timesClamped(_ other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
