/// Where the server put a message. Copies and acknowledgements name it; of all that are named the canonical one stands:
/// the smallest seq, then the earliest time, then the server's id. A missing part counts as the greatest.
struct Placement: Sendable, Equatable {
  /// The place in the conversation; 0 when unknown.
  var seq: Int64 = 0
  /// The server's time in milliseconds; 0 when unknown.
  var sendTime: Int64 = 0
  /// The server's id of this send; empty when unknown.
  var serverMsgID = ""

  /// Whether the server told any of it.
  var isEmpty: Bool { seq == 0 && sendTime == 0 && serverMsgID.isEmpty }

  /// Whether this one is canonical of the two; false for equal ones.
  func precedes(_ other: Placement) -> Bool {
    if seq != other.seq { return Self.rank(seq) < Self.rank(other.seq) }
    if sendTime != other.sendTime { return Self.rank(sendTime) < Self.rank(other.sendTime) }
    if serverMsgID.isEmpty != other.serverMsgID.isEmpty { return other.serverMsgID.isEmpty }
    return serverMsgID.utf8Precedes(other.serverMsgID)
  }

  static func == (left: Placement, right: Placement) -> Bool {
    left.seq == right.seq && left.sendTime == right.sendTime && left.serverMsgID.utf8Equals(right.serverMsgID)
  }

  private static func rank(_ number: Int64) -> Int64 { number == 0 ? .max : number }
}

extension Envelope {
  /// The place this copy names.
  var placement: Placement {
    get { Placement(seq: seq, sendTime: sendTime, serverMsgID: serverMsgID) }
    set { (seq, sendTime, serverMsgID) = (newValue.seq, newValue.sendTime, newValue.serverMsgID) }
  }
}

/// A time in milliseconds of which the smallest known stands; 0 is unknown.
enum EarliestTime {
  /// The smaller of two times, an unknown one last.
  static func join(_ left: Int64, _ right: Int64) -> Int64 {
    left <= 0 ? max(right, 0) : right <= 0 ? left : min(left, right)
  }
}
