/// How much may wait in a link: elements, bytes and age, each optional. Reaching any one of them makes the sender wait,
/// or applies the link's overflow policy.
///
/// An element heavier than the whole byte limit is admitted only into an empty link, so it can neither wedge the link
/// nor be lost.
public struct LinkLimit: Sendable, Hashable, CustomStringConvertible {
  /// Largest number of elements waiting; nil for no limit of this kind.
  public var elements: Int?
  /// Largest sum of weights waiting, in bytes; nil for no limit of this kind.
  public var bytes: Int?
  /// Longest time the oldest element may have waited; nil for no limit of this kind.
  public var age: Duration?

  /// A limit of several kinds at once. All nil is the same as ``unbounded``.
  public init(elements: Int? = nil, bytes: Int? = nil, age: Duration? = nil) {
    self.elements = elements
    self.bytes = bytes
    self.age = age
  }

  /// At most `count` elements.
  public static func elements(_ count: Int) -> LinkLimit { LinkLimit(elements: count) }
  /// At most `count` bytes, by the link's weight function.
  public static func bytes(_ count: Int) -> LinkLimit { LinkLimit(bytes: count) }
  /// No limit. It must be written out, and it shows in `describe()`: the graph then has no memory bound.
  public static let unbounded = LinkLimit()
  /// What a link gets where nothing is written: 256 elements.
  public static let standard = LinkLimit(elements: 256)

  /// Whether neither elements nor bytes are limited.
  public var isUnbounded: Bool { elements == nil && bytes == nil }

  /// What is wrong with the limit, in words; nil when it can be used.
  var fault: String? {
    if let elements, elements <= 0 { return "a limit of \(elements) elements can never admit one" }
    if let bytes, bytes <= 0 { return "a limit of \(bytes) bytes can never admit one" }
    if let age, age <= .zero { return "an age limit of \(age) can never admit one" }
    return nil
  }

  /// Most elements inside a cycle whose way back has no limit in elements.
  static var mostInCycle: Int { 256 }

  /// Most elements in `count` links with this limit and `more` beside them; nil when nothing bounds them. Links limited
  /// in bytes alone add nothing: their bound is not one of elements.
  @usableFromInline
  func holding(_ count: Int = 1, and more: Int = 0) -> Int? {
    if isUnbounded { return nil }
    let (sum, overflow) = max(0, elements ?? 0).multipliedReportingOverflow(by: max(0, count))
    let (all, tooMany) = sum.addingReportingOverflow(more)
    return overflow || tooMany ? .max : all
  }

  public var description: String {
    var parts: [String] = []
    if let elements { parts.append("\(elements) elements") }
    if let bytes { parts.append("\(bytes) bytes") }
    if let age { parts.append("\(age)") }
    return isUnbounded && age == nil ? "unbounded" : parts.joined(separator: ", ")
  }
}

/// An element that knows its own weight for limits in bytes: every link that limits bytes asks it.
public protocol Weighted: Sendable {
  /// Bytes the element stands for, zero or more.
  var weight: Int { get }
}

/// The weight function of elements that know their own weight; nil for other elements.
func ownWeight<Element: Sendable>(of type: Element.Type) -> (@Sendable (Element) -> Int)? {
  func function<Known: Weighted>(_ known: Known.Type) -> Any {
    let weigh: @Sendable (Known) -> Int = { $0.weight }
    return weigh
  }
  guard let known = type as? any Weighted.Type else { return nil }
  // `Known` is `Element`, so the cast succeeds; it is made once a link, not once an element.
  return function(known) as? @Sendable (Element) -> Int
}
