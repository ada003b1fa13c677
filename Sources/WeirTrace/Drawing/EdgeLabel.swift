import Weir

/// What stands on an edge, and where: at the end that has no other edge, so that labels of a fork or a join are apart.
struct EdgeLabel: Sendable {
  enum Anchor: Sendable { case middle, source, target }

  private static let letters = Lettering(size: 10)
  static let lineHeight = 12.0

  let lines: [String]
  let anchor: Anchor
  let link: LinkSnapshot?

  var width: Double { (lines.map { EdgeLabel.letters.width($0) }.max() ?? 0) + 6 }
  var height: Double { Double(lines.count) * EdgeLabel.lineHeight + (bar == nil ? 0 : 8) }

  /// - Parameters:
  ///   - leaving: number of edges that leave the same node.
  ///   - entering: number of edges that enter the same node.
  init(_ edge: EdgeDescription, leaving: Int, entering: Int, link: LinkSnapshot?) {
    var lines = EdgeLabel.letters.wrapped(edge.element, to: 150, lines: 2)
    if let leg = edge.leg { lines += EdgeLabel.letters.wrapped("leg \(leg)", to: 150, lines: 1) }
    if let link {
      lines.append("\(link.depth) waiting")
      let lost = link.counters.overflowed &+ link.counters.expired
      if lost > 0 { lines.append("\(lost) lost") }
    } else if let limit = edge.link?.limit {
      lines.append("\(limit)")
    }
    self.lines = lines
    self.link = link
    anchor = leaving > 1 && entering == 1 ? .target : entering > 1 && leaving == 1 ? .source : .middle
  }

  /// How full the link is, from 0 to 1; nil where nothing says.
  var bar: Double? {
    guard let link else { return nil }
    if let most = link.limit.elements, most > 0 { return min(1, Double(link.depth) / Double(most)) }
    if let most = link.limit.bytes, most > 0 { return min(1, Double(link.bytes) / Double(most)) }
    return nil
  }

  /// - Parameter middle: of the label.
  func markup(at middle: Point) -> [String] {
    let top = middle.y - height / 2
    var result = [
      "<rect class=\"ground\" x=\"\(number(middle.x - width / 2))\" y=\"\(number(top - 1))\" width=\"\(number(width))\" "
        + "height=\"\(number(height + 2))\"/>"
    ]
    var y = top + 9.5
    for line in lines {
      result.append(
        "<text class=\"label\(line.hasSuffix(" lost") ? " lost" : "")\" text-anchor=\"middle\" x=\"\(number(middle.x))\" "
          + "y=\"\(number(y))\">\(Markup.escaped(line))</text>")
      y += EdgeLabel.lineHeight
    }
    if let bar {
      let corner = "x=\"\(number(middle.x - 25))\" y=\"\(number(y - 5))\""
      result.append("<rect class=\"idle\" opacity=\"0.3\" \(corner) width=\"50\" height=\"4\"/>")
      result.append(
        "<rect class=\"\(bar >= 0.9 ? "full" : "idle")\" \(corner) width=\"\(number(bar * 50))\" height=\"4\"/>")
    }
    return result
  }
}
