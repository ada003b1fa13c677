#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Ids and stored texts are compared by their bytes. Swift's `==` on strings asks for canonical equivalence, under which
/// two different ids may be "equal" and the result of a join would depend on which came first.
extension String {
  /// Whether both have the same UTF-8 bytes.
  func utf8Equals(_ other: String) -> Bool {
    // Most comparisons are of keys, mostly equal ones: without a copy of either text.
    let answer = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        guard left.count == right.count else { return false }
        guard let first = left.baseAddress, let second = right.baseAddress else { return true }
        return memcmp(first, second, left.count) == 0
      }
    }
    if case .some(.some(let isEqual)) = answer { return isEqual }
    return compareUTF8(with: other) == 0
  }

  /// Order of the UTF-8 bytes: the same on every machine, unlike an order by locale.
  func utf8Precedes(_ other: String) -> Bool { compareUTF8(with: other) < 0 }

  private func compareUTF8(with other: String) -> Int {
    var (left, right) = (self, other)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        let common = min(left.count, right.count)
        if common > 0, let first = left.baseAddress, let second = right.baseAddress {
          let order = memcmp(first, second, common)
          if order != 0 { return Int(order) }
        }
        return left.count - right.count
      }
    }
  }
}

/// A text as a dictionary key that is its bytes.
struct ByteKey: Hashable {
  let text: String

  static func == (left: ByteKey, right: ByteKey) -> Bool { left.text.utf8Equals(right.text) }

  func hash(into hasher: inout Hasher) { hasher.combine(utf8: text) }
}

extension Hasher {
  /// Feeds the bytes and their number.
  mutating func combine(utf8 text: String) {
    let isDone: Void? = text.utf8.withContiguousStorageIfAvailable {
      combine($0.count)
      combine(bytes: UnsafeRawBufferPointer($0))
    }
    guard isDone == nil else { return }
    var text = text
    text.withUTF8 {
      combine($0.count)
      combine(bytes: UnsafeRawBufferPointer($0))
    }
  }
}
