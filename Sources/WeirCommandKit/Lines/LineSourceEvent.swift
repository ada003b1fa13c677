/// Something a reader of lines should know besides the lines. `source` is the input's position in the list.
public enum LineSourceEvent: Sendable, Equatable {
  /// A line over the limit was skipped.
  case refused(RefusedLine)
  /// The file's first block does not look like text; its lines are delivered all the same.
  case looksBinary(source: Int, BinaryHint)
  /// The file is shorter than what was read of it; it is read again from its beginning.
  case truncated(source: Int)
  /// The name stands for another file now; that one is read from its beginning.
  case replaced(source: Int)
  /// The name stands for no file now; it is waited for.
  case vanished(source: Int)
  /// The input was read to its end and closed; `lines` counts empty and refused ones too.
  case finished(source: Int, lines: Int)
}
