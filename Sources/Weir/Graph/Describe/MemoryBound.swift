/// The most memory a run of a blueprint can hold, from its limits alone.
///
/// Counts elements in place (`MemoryLayout.stride`), or by weight where a link limits bytes; what elements refer to is
/// in it only where a link weighs it.
public struct MemoryBound: Sendable, Hashable, CustomStringConvertible {
  /// Most elements in links and in the hands of nodes; nil when a link or a node has no bound.
  public let elements: Int?
  /// Most bytes of links, chunks, stages and tasks; nil as above.
  public let bytes: Int?
  /// Names of the links and nodes without a bound.
  public let unbounded: [String]

  /// Bytes for a task, its stack and its ports: measured for an idle stage, rounded up.
  static let bytesPerTask = 4096
  /// A link keeps at most this many emptied chunks, and its two ends hold one each.
  static let chunksPerLink = 4

  init(nodes: [NodeDescription], edges: [EdgeDescription], chunkSize: Int) {
    var elements = 0
    var bytes = 0
    var unbounded: [String] = []
    var strides = [Int](repeating: 0, count: nodes.count)
    for edge in edges {
      strides[edge.to] = max(strides[edge.to], edge.stride)
      strides[edge.from] = max(strides[edge.from], edge.stride)
      guard let link = edge.link else {
        elements.addClamped(chunkSize)
        bytes.addClamped(chunkSize.timesClamped(edge.stride))
        continue
      }
      let chunk = min(chunkSize, link.limit.elements ?? chunkSize)
      bytes.addClamped(chunk.timesClamped(MemoryBound.chunksPerLink).timesClamped(edge.stride))
      elements.addClamped(chunk.timesClamped(2))
      if link.limit.isUnbounded { unbounded.append(link.name) }
      elements.addClamped(link.limit.elements ?? 0)
      let byCount = link.limit.elements.map { $0.timesClamped(edge.stride) }
      // A link with neither limit is in the list of the unbounded.
      bytes.addClamped([byCount, link.limit.bytes].compactMap { $0 }.min() ?? 0)
    }
    for (index, node) in nodes.enumerated() {
      bytes.addClamped((node.tasks + 1) * MemoryBound.bytesPerTask)
      guard let holds = node.holds else {
        unbounded.append(node.name)
        continue
      }
      elements.addClamped(holds)
      bytes.addClamped(holds.timesClamped(strides[index]))
    }
    self.unbounded = unbounded
    self.elements = unbounded.isEmpty ? elements : nil
    self.bytes = unbounded.isEmpty ? bytes : nil
  }

  public var description: String {
    guard let elements, let bytes else {
      return "none: \(unbounded.map { "\"\($0)\"" }.joined(separator: ", ")) has no limit of its own"
    }
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
