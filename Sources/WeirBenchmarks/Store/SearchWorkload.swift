import WeirChat
import WeirStore

/// Texts in a store: what an index costs those who write, how fast it is made, and what it saves those who search, beside a
/// scan by LIKE over the same rows.
let search = Family(
  name: "search", title: "texts by their words",
  cases: [
    Case("commits of 16 with an index", unit: .perElement, count: 20_000) { try await writing($0, .on) },
    Case("commits of 16 without an index", unit: .perElement, count: 20_000) { try await writing($0, .off) },
    Case("making the index", unit: .perElement, count: 60_000) { try await searching($0, .making) },
    Case("search for a phrase, indexed", unit: .perCall, count: 60_000) { try await searching($0, .indexed(phrase)) },
    Case("search for a word, indexed", unit: .perCall, count: 60_000) { try await searching($0, .indexed(word)) },
    Case("search for a phrase by LIKE", unit: .perCall, count: 60_000) { try await searching($0, .like(phrase)) },
    Case("search beyond the index", unit: .perElement, count: 20_000) { try await searching($0, .tail) },
  ],
  comparisons: [
    .cost("commits of 16 with an index", of: "commits of 16 without an index", goal: 1.05),
    .reading("making the index"),
    .speedup("search for a phrase, indexed", over: "search for a phrase by LIKE", goal: 3),
    .reading("search for a word, indexed"),
    .reading("search beyond the index"),
  ])

private let phrase = "coffee invoice 明天"
private let word = "invoice"

/// Facts of which the first message, the last that a search comes to, holds the phrase: however few there are, it is found.
private func facts(_ count: Int) -> [Fact] {
  var load = StoreLoad(conversations: 1_000)
  var facts = load.next(count)
  let first = facts.firstIndex { if case .message = $0 { true } else { false } }
  if let first, case .message(let message) = facts[first] {
    facts[first] = .message(
      ChatMessage(key: message.key, envelope: message.envelope, evidence: message.evidence, content: .text(phrase)))
  }
  return facts
}

/// Commits one after the other, without a pause; the index is begun but not awaited.
private func writing(_ count: Int, _ choice: SearchChoice) async throws -> Double {
  let facts = facts(count)
  return try await StoreFiles.inDirectory { directory in
    let store = try await SQLiteMessageStore.open(
      path: directory + "/store.db", account: StoreLoad.account,
      options: .init(localDurability: .normal, search: choice))
    let elapsed = try await Spent { try await write(facts, to: store, batch: 16) }.wall
    try await store.close()
    return elapsed / Double(count)
  }
}

private enum Searching {
  case making
  case indexed(String)
  case like(String)
  case tail
}

private func searching(_ count: Int, _ what: Searching) async throws -> Double {
  // Among a few messages every way of searching costs the same.
  let facts = facts(max(count, 30_000))
  return try await StoreFiles.inDirectory { directory in
    if case .like(let text) = what { return try await scanning(directory, facts, text) }
    let path = directory + "/store.db"
    let plain = try await SQLiteMessageStore.open(path: path, account: StoreLoad.account)
    try await write(facts, to: plain, batch: 256)
    let messages = Double(try await plain.totals().value.messages)
    if case .tail = what {
      let query = SearchQuery("\"\(phrase)\"", tailLimit: .max)
      let calls = 5
      let elapsed = try await Spent { for _ in 0..<calls { _ = try await plain.search(query) } }.wall
      try await plain.close()
      return elapsed / Double(calls) / messages
    }
    try await plain.close()
    let store = try await SQLiteMessageStore.open(path: path, account: StoreLoad.account, options: .init(search: .on))
    let making = try await Spent { try await store.finishSearchIndex() }.wall
    guard case .indexed(let text) = what else {
      try await store.close()
      return making / messages
    }
    let query = SearchQuery("\"\(text)\"", tailLimit: 0)
    guard try await !store.search(query).value.hits.isEmpty else {
      throw BenchmarkError.wrongResult(name: text, expected: 1, result: 0)
    }
    let calls = 100
    let elapsed = try await Spent { for _ in 0..<calls { _ = try await store.search(query) } }.wall
    try await store.close()
    return elapsed / Double(calls)
  }
}

/// What a search costs without an index: SQLite reads every text of the tables that most clients have.
private func scanning(_ directory: String, _ facts: [Fact], _ text: String) async throws -> Double {
  let path = directory + "/text.db"
  try TextTables(path: path, isFull: nil).store(facts[...])
  let connection = try Connection(path: path, options: .reader)
  let select = try connection.prepare(
    "SELECT client_msg_id, content FROM message WHERE content LIKE ?1 ORDER BY send_time DESC LIMIT 50")
  select.bind("%\(text)%", at: 1)
  try select.run()
  let calls = 5
  return try await Spent { for _ in 0..<calls { try select.run() } }.wall / Double(calls)
}
