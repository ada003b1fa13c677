import WeirChat

/// Facts counted by their kind.
struct FactCounts: Sendable, Equatable {
  /// The kinds, in the order in which they are told.
  enum Kind: Int, Sendable, CaseIterable {
    case message, recall, edit, delete, clear, read, send, seqs, conversation, social, mediaTask, local

    init(_ fact: Fact) {
      self =
        switch fact {
        case .message: .message
        case .recall: .recall
        case .edit: .edit
        case .delete: .delete
        case .clear: .clear
        case .read: .read
        case .send: .send
        case .seqs: .seqs
        case .conversation: .conversation
        case .social: .social
        case .mediaTask: .mediaTask
        case .local: .local
        }
    }

    /// The kind for people, as one or several.
    func words(_ count: Int) -> String {
      let isOne = count == 1
      return switch self {
      case .message: isOne ? "message" : "messages"
      case .recall: isOne ? "recall" : "recalls"
      case .edit: isOne ? "edit" : "edits"
      case .delete: isOne ? "deletion" : "deletions"
      case .clear: isOne ? "clear" : "clears"
      case .read: isOne ? "read mark" : "read marks"
      case .send: isOne ? "send step" : "send steps"
      case .seqs: isOne ? "range of seqs" : "ranges of seqs"
      case .conversation: isOne ? "conversation setting" : "conversation settings"
      case .social: isOne ? "entry of people" : "entries of people"
      case .mediaTask: isOne ? "media task" : "media tasks"
      case .local: isOne ? "local note" : "local notes"
      }
    }
  }

  private var counts = [Int](repeating: 0, count: Kind.allCases.count)

  mutating func add(_ fact: Fact) { counts[Kind(fact).rawValue] += 1 }

  /// All of them.
  var total: Int { counts.reduce(0, +) }

  /// The kinds that occurred, with their numbers.
  var occurring: [(kind: Kind, count: Int)] {
    Kind.allCases.compactMap { kind in
      let count = counts[kind.rawValue]
      return count > 0 ? (kind, count) : nil
    }
  }
}
