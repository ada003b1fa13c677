/// Gathers elements into arrays, up to a count, a weight, or both.
///
/// An element that would make a batch heavier than `weight` starts the next one; an element heavier than `weight` on
/// its own travels alone, so it can neither wedge the stage nor be lost. Weights below 0 count as 0.
///
/// - Emits when: the batch has `count` elements, weighs `weight`, or the next element would make it too heavy.
/// - Waits when: downstream waits.
/// - Finishes when: its input does, after the last, possibly smaller batch.
/// - Cancels when: downstream does.
/// - Memory: one batch: `count` elements, or `weight` and one element; with a weight alone, elements that weigh nothing
///   are not bounded.
/// - Errors: none; a count or weight of 0 or less is a fault of the blueprint.
@frozen
public struct Batch<Element: Sendable>: Stage {
  @usableFromInline let count: Int?
  @usableFromInline let maximumWeight: Int?
  @usableFromInline let weigh: (@Sendable (Element) -> Int)?
  @usableFromInline var batch: [Element] = []
  @usableFromInline var weight = 0

  /// Batches of `count` elements.
  @inlinable
  public init(count: Int) {
    self.count = count
    maximumWeight = nil
    weigh = nil
  }

  /// Batches up to a weight, and up to a count where one is given.
  @inlinable
  public init(count: Int? = nil, weight: Int, by weigh: @escaping @Sendable (Element) -> Int) {
    self.count = count
    maximumWeight = weight
    self.weigh = weigh
  }

  /// Without a limit of its own: for batches that end by time alone.
  @inlinable
  init(maximumCount: Int?) {
    count = maximumCount
    maximumWeight = nil
    weigh = nil
  }

  @inlinable
  @inline(__always)
  public mutating func process(_ element: Element, _ emit: ([Element]) -> Void) {
    if let weigh, let maximumWeight {
      let extra = Swift.max(0, weigh(element))
      let (sum, overflow) = weight.addingReportingOverflow(extra)
      if !batch.isEmpty && (overflow || sum > maximumWeight) {
        flush(emit)
        weight = extra
      } else {
        weight = overflow ? .max : sum
      }
    }
    batch.append(element)
    if isFull { flush(emit) }
  }

  @inlinable
  public mutating func finish(_ emit: ([Element]) -> Void) {
    if !batch.isEmpty { flush(emit) }
  }

  @inlinable
  var isFull: Bool {
    if let count, batch.count >= count { return true }
    if let maximumWeight, weight >= maximumWeight { return true }
    return false
  }

  @inlinable
  mutating func flush(_ emit: ([Element]) -> Void) {
    let full = batch
    batch = []
    weight = 0
    emit(full)
  }

  @inlinable public var held: Int { batch.count }
  @inlinable public var holds: Int? { count.map { Swift.max(1, $0) } }

  @inlinable public var faults: [String] {
    var faults: [String] = []
    if let count, count <= 0 { faults.append("batches of \(count) elements are none; use 1 or more") }
    if let maximumWeight, maximumWeight <= 0 {
      faults.append("batches of weight \(maximumWeight) can hold nothing; use 1 or more")
    }
    return faults
  }
}

extension Outlet {
  /// Gathers elements into arrays of `count`; see ``Batch``.
  @inlinable
  public consuming func batch(
    _ name: String, count: Int, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<[Element]> {
    via(name, Batch(count: count), file: file, line: line)
  }

  /// Gathers elements into arrays up to a weight, and up to a count where one is given; see ``Batch``.
  @inlinable
  public consuming func batch(
    _ name: String, count: Int? = nil, weight: Int, by weigh: @escaping @Sendable (Element) -> Int,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<[Element]> {
    via(name, Batch(count: count, weight: weight, by: weigh), file: file, line: line)
  }
}
