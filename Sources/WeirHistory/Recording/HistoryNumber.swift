/// How the rows of the log are numbered: those of transaction `seq` lie between `seq << 26` and the number before `(seq + 1) << 26`,
/// which is that of its last row, and so tells that it is complete. First comes its own row, then its changes, then a row that
/// holds nothing. Leaves room for 137 thousand million transactions of 67 million changes.
enum HistoryNumber {
  static let bits: Int64 = 26
  /// The bits that tell the rows of a transaction apart; all of them are set in the last one.
  static let rows: Int64 = 1 << bits - 1
  /// The last transaction there can be.
  private static let most: Int64 = .max >> bits - 1

  /// The least number of a row of a transaction; where there can be none of that number, of the one nearest to it.
  static func row(of seq: Int64) -> Int64 { min(max(seq, 0), most) << bits }

  /// The transaction that a row belongs to.
  static func transaction(of row: Int64) -> Int64 { row >> bits }
}
