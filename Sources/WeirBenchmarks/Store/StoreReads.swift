import WeirChat
import WeirStore

/// What a store costs once it is filled: bytes of the file, and what the usual queries take. With `--full` it holds two
/// million facts, in ten times as many conversations.
let storeReads = Family(
  name: "store-reads", title: "a filled store: its size and its queries (100,000 facts, 2 million with --full)",
  cases: [
    Case("filled store, file", unit: .bytes, count: small, full: large) { count in
      let path = try await StoreFiles.shared(.store, count: count, conversations: conversations(count))
      let connection = try PlainConnection(path: path, isFull: false, cacheKibibytes: 64)
      var (bytes, messages): (Int64, Int64) = (0, 1)
      try connection.rows("SELECT page_size * page_count FROM pragma_page_size, pragma_page_count") {
        bytes = $0.number(0)
      }
      try connection.rows("SELECT count(*) FROM messages") { messages = $0.number(0) }
      return Double(bytes) / Double(messages)
    },
    Case("filled store, newest 50 of a conversation", unit: .perCall, count: small, full: large) { count in
      try await calls(count) { store, index in
        let page = try await store.messages(in: StoreLoad.conversation(index % 40), limit: 50).value
        // A small file of a quick run has no full page for each.
        guard page.count == 50 || count < small else { throw BenchmarkError.peer("a page is not full") }
      }
    },
    Case("filled store, newest 50 conversations", unit: .perCall, count: small, full: large) { count in
      try await calls(count) { store, _ in _ = try await store.conversations(limit: 50) }
    },
    Case("filled store, total unread", unit: .perCall, count: small, full: large) { count in
      try await calls(count) { store, _ in _ = try await store.totalUnread() }
    },
    Case("filled store, facts known already", unit: .perElement, count: small, full: large) { count in
      try await StoreFiles.with(.store, count: count, conversations: conversations(count)) { directory, _ in
        // The facts that the file was filled with, from its beginning.
        var load = StoreLoad(conversations: conversations(count))
        let known = load.next(20_480)
        let store = try await openStore(directory, isFull: false)
        let spent = try await Spent { try await write(known, to: store, batch: 256) }
        try await store.close()
        return spent.wall / Double(known.count)
      }
    },
  ],
  comparisons: [
    .reading("filled store, file", goal: 240),
    .reading("filled store, newest 50 of a conversation", goal: 200_000),
    .reading("filled store, newest 50 conversations"),
    .reading("filled store, total unread", goal: 5_000),
  ])

private let small = 100_000
private let large = 2_000_000

private func conversations(_ count: Int) -> Int { count >= large ? 5_000 : 500 }

private func reading(_ count: Int, _ work: (SQLiteMessageStore) async throws -> Double) async throws -> Double {
  let path = try await StoreFiles.shared(.store, count: count, conversations: conversations(count))
  let store = try await SQLiteMessageStore.open(path: path, account: StoreLoad.account)
  let result = try await work(store)
  try await store.close()
  return result
}

/// Nanoseconds of one of 400 calls, after 40 others.
private func calls(
  _ count: Int, _ call: (SQLiteMessageStore, Int) async throws -> Void
) async throws -> Double {
  try await reading(count) { store in
    for index in 0..<40 { try await call(store, index) }
    return try await Spent { for index in 0..<400 { try await call(store, index) } }.wall / 400
  }
}
