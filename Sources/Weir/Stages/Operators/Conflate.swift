extension Outlet {
  /// Starts a new task here, and combines elements while downstream is slower than upstream.
  ///
  /// A ``boundary(_:limit:policy:weigh:file:line:)`` with the policy ``OverflowPolicy/conflate(_:)``: upstream never
  /// waits, and once `limit` elements wait, each new one is combined with the newest of them.
  ///
  /// - Emits when: downstream asks and something waits, oldest first.
  /// - Waits when: never.
  /// - Finishes when: its input does, after what waits has been taken.
  /// - Cancels when: downstream does.
  /// - Memory: `limit` elements.
  /// - Errors: none; a limit that can admit nothing is a fault of the blueprint.
  /// - Parameters:
  ///   - limit: how much may wait uncombined; by default one element.
  ///   - combine: makes one of the newest waiting element and the new one. Upstream's task is busy with it: it
  ///     must call nothing that waits.
  public consuming func conflate(
    _ name: String, limit: LinkLimit = .elements(1), file: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @Sendable (_ waiting: Element, _ new: Element) -> Element
  ) -> Outlet<Element> {
    boundary(name, limit: limit, policy: .conflate(combine), weigh: nil, file: file, line: line)
  }
}
