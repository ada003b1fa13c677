extension Snapshot {
  /// An answer of a source of the application's own, for ``ObservedQuery``.
  ///
  /// `revision` must rise with every change of what is asked for, and count what the revisions of the hints count; 0 says
  /// that the source counts nothing, so every answer may be new.
  public init(_ value: Value, at revision: Int64) { self.init(revision: revision, value: value) }
}
