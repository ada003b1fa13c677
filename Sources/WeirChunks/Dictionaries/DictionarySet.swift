/// The dictionaries that one end holds. What names another one is refused.
public struct DictionarySet: Sendable, Hashable {
  /// In the order given.
  public let dictionaries: [CompressionDictionary]
  private let places: [UInt16: Int]

  /// No dictionary.
  public static let empty = DictionarySet()

  private init() {
    dictionaries = []
    places = [:]
  }

  /// A set.
  /// - Throws: `dictionaryConflict` when two different dictionaries have the same id; the same one twice is one.
  public init(_ dictionaries: [CompressionDictionary]) throws(ChunkError) {
    var places: [UInt16: Int] = [:]
    var kept: [CompressionDictionary] = []
    for dictionary in dictionaries {
      if let place = places[dictionary.id] {
        guard kept[place] == dictionary else {
          throw ChunkError(
            .dictionaryConflict,
            "two dictionaries have the id \(dictionary.id); train one of them anew with other samples")
        }
      } else {
        places[dictionary.id] = kept.count
        kept.append(dictionary)
      }
    }
    self.dictionaries = kept
    self.places = places
  }

  /// The dictionary with an id.
  public subscript(id: UInt16) -> CompressionDictionary? { places[id].map { dictionaries[$0] } }

  /// The dictionary that is named, if one is.
  func dictionary(_ id: UInt16?) throws(ChunkError) -> CompressionDictionary? {
    guard let id else { return nil }
    guard let dictionary = self[id] else {
      throw ChunkError(.unknownDictionary, "dictionary \(id) is needed and not held here")
    }
    return dictionary
  }
}
