/// Rows and columns laid out for a terminal; wide (Chinese, Japanese, Korean) characters count two cells.
///
/// Cells are made printable first, so message text may be put in as it came.
public struct TextTable: Sendable {
  /// Where a cell's text stands in its column.
  public enum Alignment: Sendable {
    /// At the column's left edge.
    case left
    /// At its right edge, as numbers stand.
    case right
  }

  /// A column's heading and layout.
  public struct Column: Sendable {
    let title: String
    let alignment: Alignment
    let minimum: Int?

    /// A column; one with a `minimum` may be narrowed to that many cells when the table is too wide.
    public init(_ title: String, _ alignment: Alignment = .left, shrinksTo minimum: Int? = nil) {
      self.title = title
      self.alignment = alignment
      self.minimum = minimum
    }
  }

  private static let gap = 2
  private let columns: [Column]
  private var rows: [[String]] = []

  /// A table without rows.
  public init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row; missing cells are empty, surplus cells are left out.
  public mutating func append(_ cells: [String]) {
    rows.append(columns.indices.map { $0 < cells.count ? printable(cells[$0]) : "" })
  }

  /// The heading and the rows, one string a line without line breaks or trailing spaces, each at most `width` cells
  /// wide where the columns that may shrink allow it.
  public func lines(width: Int = 80) -> [String] {
    let titles = columns.map(\.title)
    let widths = fit(into: width, natural: naturalWidths(titles))
    return ([titles] + rows).map { render($0, widths) }
  }

  private func naturalWidths(_ titles: [String]) -> [Int] {
    columns.indices.map { index in
      rows.reduce(DisplayWidth.of(titles[index])) { max($0, DisplayWidth.of($1[index])) }
    }
  }

  /// Takes cells from the widest column that can still shrink until the table fits.
  private func fit(into width: Int, natural: [Int]) -> [Int] {
    var widths = natural
    var excess = widths.reduce(0, +) + Self.gap * max(0, columns.count - 1) - width
    while excess > 0 {
      let shrinkable = columns.indices.filter { widths[$0] > max(1, columns[$0].minimum ?? .max) }
      guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private func render(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for index in columns.indices {
      if index > 0 { line += String(repeating: " ", count: Self.gap) }
      let cell = DisplayWidth.truncate(cells[index], to: widths[index])
      let padding = String(repeating: " ", count: max(0, widths[index] - DisplayWidth.of(cell)))
      line += columns[index].alignment == .left ? cell + padding : padding + cell
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
