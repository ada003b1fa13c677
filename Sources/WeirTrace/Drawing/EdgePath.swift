import Weir

/// The line of one edge, round the boxes in its way, with what it carries.
struct EdgePath: Sendable {
  let lines: [String]

  init(
    _ edge: EdgeDescription, label: EdgeLabel, route: [Int], _ placement: Placement, heights: [Double],
    isDeadLetters: Bool
  ) {
    let points = EdgePath.points(route, placement, heights)
    let style = isDeadLetters ? "edge dead" : edge.link == nil ? "edge same-task" : "edge"
    var lines = ["<path class=\"\(style)\" marker-end=\"url(#arrow)\" d=\"\(EdgePath.curve(points))\"/>"]
    if let middle = EdgePath.middle(of: label, points) { lines += label.markup(at: middle) }
    self.lines = lines
  }

  private static func middle(of label: EdgeLabel, _ points: [Point]) -> Point? {
    guard points.count > 1 else { return nil }
    let (first, second) = (points[0], points[1])
    let (before, last) = (points[points.count - 2], points[points.count - 1])
    let away = label.height / 2 + 12
    switch label.anchor {
    case .source: return Point(x: first.x, y: first.y + (second.y >= first.y ? away : -away))
    case .target: return Point(x: last.x, y: last.y - (last.y >= before.y ? away : -away))
    case .middle: return Point(x: (before.x + last.x) / 2, y: (before.y + last.y) / 2)
    }
  }

  /// From the lower side of one box to the upper side of the other, or the other way for an edge that leads back.
  private static func points(_ route: [Int], _ placement: Placement, _ heights: [Double]) -> [Point] {
    guard let first = route.first, let last = route.last, route.count > 1 else { return [] }
    var points = route.map { placement.middles[$0] }
    let goesDown = points[points.count - 1].y >= points[0].y
    points[0].y += (goesDown ? 1 : -1) * heights[first] / 2
    points[points.count - 1].y -= (goesDown ? 1 : -1) * heights[last] / 2
    return points
  }

  /// Vertical at every point, so that an edge leaves and enters a layer straight.
  private static func curve(_ points: [Point]) -> String {
    guard let start = points.first else { return "" }
    var text = "M\(number(start.x)) \(number(start.y))"
    for (from, to) in zip(points, points.dropFirst()) {
      let half = (to.y - from.y) / 2
      text +=
        "C\(number(from.x)) \(number(from.y + half)) \(number(to.x)) \(number(to.y - half)) \(number(to.x)) \(number(to.y))"
    }
    return text
  }
}
