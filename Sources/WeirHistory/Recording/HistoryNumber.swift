/// How the rows of the log are numbered: that of transaction `seq` is `seq << 26`, and its changes follow it one by one. Leaves room
/// for 137 thousand million transactions of 67 million changes.
enum HistoryNumber {
  static let bits: Int64 = 26
  /// The most changes of one transaction.
  static let mostChanges: Int64 = 1 << bits - 1
  /// The last transaction there can be.
  static let mostTransactions: Int64 = .max >> bits

  /// The id of the row of a transaction; where there can be none of that number, the id of the one nearest to it.
  static func row(of seq: Int64) -> Int64 { min(max(seq, 0), mostTransactions) << bits }

  /// The transaction that a row belongs to.
  static func transaction(of row: Int64) -> Int64 { row >> bits }
}
