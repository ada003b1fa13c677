/// Reads the notation of ``MarbleDiagram``, character by character.
struct MarbleParser {
  private(set) var entries: [MarbleDiagram.Entry] = []
  private(set) var tick = 0

  private let notation: String
  private let role: MarbleDiagram.Role
  private var groupStart: Int?
  private var groupIsEmpty = true
  private var hasEnded = false

  init(_ notation: String, role: MarbleDiagram.Role) {
    self.notation = notation
    self.role = role
  }

  static func isSpecial(_ character: Character) -> Bool {
    "-|^;,'[] ".contains(character) || isControl(character)
  }

  private static func isControl(_ character: Character) -> Bool {
    character.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  mutating func parse() throws(MarbleSyntaxError) {
    let characters = Array(notation)
    var offset = 0
    while offset < characters.count {
      let character = characters[offset]
      switch character {
      case " ":
        break
      case "-":
        guard groupStart == nil else { throw fault(.stepInGroup, at: offset) }
        tick += 1
      case "[":
        guard groupStart == nil else { throw fault(.nestedGroup, at: offset) }
        groupStart = offset
        groupIsEmpty = true
        tick += 1
      case "]":
        guard groupStart != nil else { throw fault(.unopenedGroup, at: offset) }
        guard !groupIsEmpty else { throw fault(.emptyGroup, at: offset) }
        groupStart = nil
      case "|":
        try add(.finish, at: offset)
        hasEnded = true
      case "^":
        try add(.failure, at: offset)
        hasEnded = true
      case ";", ",":
        guard role == .expectation else { throw fault(.consumerEventInInput, at: offset) }
        try add(character == ";" ? .cancel : .delay, at: offset)
      case "'":
        guard let end = characters[(offset + 1)...].firstIndex(of: "'") else { throw fault(.unclosedText, at: offset) }
        try add(.value(String(characters[(offset + 1)..<end])), at: offset)
        offset = end
      default:
        guard !Self.isControl(character) else { throw fault(.controlCharacter, at: offset) }
        try add(.value(String(character)), at: offset)
      }
      offset += 1
    }
    if let groupStart { throw fault(.unclosedGroup, at: groupStart) }
  }

  private mutating func add(_ event: MarbleDiagram.Event, at offset: Int) throws(MarbleSyntaxError) {
    guard !hasEnded else { throw fault(.eventAfterEnd, at: offset) }
    if groupStart == nil { tick += 1 } else { groupIsEmpty = false }
    entries.append(MarbleDiagram.Entry(tick: tick, event: event))
  }

  private func fault(_ fault: MarbleSyntaxError.Fault, at offset: Int) -> MarbleSyntaxError {
    MarbleSyntaxError(fault: fault, notation: notation, offset: offset)
  }
}
