import WeirChat
import WeirStore

/// What the user wants to know of a store.
struct InspectRequest: Sendable {
  var conversation: String?
  var message: String?
  var showsGaps = false
  var showsOrphans = false
  var before: String?
  var limit = 20

  /// Whether a conversation is asked for and nothing else.
  var showsTimeline: Bool { conversation != nil && message == nil && !showsGaps && !showsOrphans }

  /// The answer, all of it from one snapshot.
  func report(_ view: ProjectionView) throws(StoreError) -> InspectReport {
    var report = InspectReport(profile: try view.profile())
    if let conversation, try view.conversation(conversation) == nil {
      report.failure = .unknownConversation(conversation)
      return report
    }
    if let message {
      let section = MessageSection(
        explanations: try view.explanations(of: message, in: conversation),
        waiting: try view.orphanFacts(in: conversation, of: message, limit: limit).facts)
      if section.isEmpty { report.failure = .unknownMessage(message, conversation: conversation) }
      report.sections.append(section)
    }
    if showsGaps { report.sections.append(try gaps(view)) }
    if showsOrphans {
      let (facts, isComplete) = try view.orphanFacts(in: conversation, limit: limit)
      report.sections.append(OrphanSection(facts: facts, isComplete: isComplete))
    }
    if !report.sections.isEmpty { return report }
    if let conversation, let summary = try view.conversation(conversation) {
      var start: MessagePosition?
      if let before {
        start = try view.message(before, in: conversation)?.position
        if start == nil { report.failure = .unknownMessage(before, conversation: conversation) }
      }
      let messages = try view.messages(in: conversation, before: start, limit: limit)
      var hasMore = false
      if let last = messages.last {
        hasMore = try !view.messages(in: conversation, before: last.position, limit: 1).isEmpty
      }
      report.sections.append(TimelineSection(summary: summary, messages: messages, hasMore: hasMore))
    } else {
      report.sections.append(
        ConversationSection(conversations: try view.conversations(limit: limit), total: report.profile.totals))
    }
    return report
  }

  private func gaps(_ view: ProjectionView) throws(StoreError) -> GapSection {
    var section = GapSection()
    var ids = if let conversation { [conversation] } else { try view.conversationIDs() }
    while !ids.isEmpty {
      for id in ids {
        let missing = try view.gaps(in: id)
        if !missing.isEmpty { section.add(id, missing, limit: limit) }
      }
      ids = conversation == nil ? try view.conversationIDs(after: ids[ids.count - 1]) : []
    }
    return section
  }
}
