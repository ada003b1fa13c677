#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a deleted row leaves behind.
public struct HistoryTombstone: Sendable, Hashable {
  /// The last values of the columns that are declared to be kept, and of no others; they keep their types.
  public let attributes: [String: HistoryValue]
  /// When the row was deleted by the clock on the wall.
  public let deletedDate: Date

  /// The last value of a column; nil where it is not kept.
  public subscript(column: String) -> HistoryValue? { attributes[column] }
}

extension HookContext {
  /// An address of the row, for logs and for what is kept elsewhere: `weir://STORE/ENTITY/KEY`, where the key is written as in
  /// SQL and its columns are parted by commas. The same row has the same address for good.
  public var objectIDURL: URL {
    let parts = [entityName, key.map(\.description).joined(separator: ",")].map(Self.escaped)
    let address = "weir://\(delivery.store)/\(parts.joined(separator: "/"))"
    // Nothing is left in it that no address may hold.
    return URL(string: address) ?? URL(fileURLWithPath: address)
  }

  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ","),
        UInt8(ascii: "-"):
        String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}
