import WeirHistory

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is said of a history, for people and for programs.
enum HistoryWords {
  static func role(_ role: HistoryRole) -> String {
    switch role {
    case .consumer: "consumer"
    case .writeOnly: "write-only"
    case .exporter: "exporter"
    }
  }

  static func milliseconds(_ date: Date) -> Int64 {
    Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) ?? 0
  }

  static func time(_ date: Date) -> String { Humane.time(milliseconds(date)) }

  /// Bytes as an object, since JSON has none; everything else as what it is.
  static func write(_ value: HistoryValue, to writer: inout JSONWriter) {
    switch value {
    case .null: writer.null()
    case .integer(let number): writer.integer(number)
    case .real(let number): writer.number(number)
    case .text(let text): writer.string(text)
    case .bytes(let bytes):
      writer.beginObject()
      writer.key("base64")
      writer.string(validUTF8: Base64.encode(bytes))
      writer.endObject()
    }
  }
}
