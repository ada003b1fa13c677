import Weir

/// One bounded link between tasks, and AsyncStream in its place. Links are measured on the pool and on the executor that
/// runs a whole graph on one thread; AsyncStream, which cannot choose, on the pool as its users meet it, and on one
/// thread to compare.
let hop = Family(
  name: "hop", title: "one link between tasks",
  cases: streams
    + ["", ", one thread"].flatMap { place in
      [16, 64, 256, 1024].flatMap { capacity in
        [1, 4].map { producers in
          placed("link \(capacity), \(producerWords(producers))", place, count: 1_000_000, expecting: Arithmetic.sum) {
            await linkHop($0, producers: producers, capacity: capacity, making: { $0 }, reading: { $0 })
          }
        }
      }
        + [(64, 1024), (256, 1024)].flatMap { chunk, capacity in
          [1, 4].map { producers in
            placed(
              "link \(capacity), chunks of \(chunk), \(producerWords(producers))", place, count: 4_000_000,
              expecting: Arithmetic.sum
            ) {
              await chunkHop(
                $0, producers: producers, capacity: capacity, chunk: chunk, making: { $0 }, reading: { $0 })
            }
          }
        }
        + [
          placed("link 1024, messages", place, count: 1_000_000, expecting: messageSum) {
            await linkHop($0, producers: 1, capacity: 1024, making: { Message($0) }, reading: { $0.check })
          },
          placed("link 1024, chunks of 64, messages", place, count: 1_000_000, expecting: messageSum) {
            await chunkHop(
              $0, producers: 1, capacity: 1024, chunk: 64, making: { Message($0) }, reading: { $0.check })
          },
        ]
    },
  comparisons: ["", ", one thread"].flatMap { place -> [Comparison] in
    [
      .speedup("link 64, 1 producer\(place)", over: "AsyncStream, 1 producer", goal: 20),
      .speedup("link 1024, 1 producer\(place)", over: "AsyncStream, 1 producer", goal: 40),
      .speedup("link 1024, chunks of 64, 1 producer\(place)", over: "AsyncStream, 1 producer", goal: 250),
      .speedup("link 1024, chunks of 256, 1 producer\(place)", over: "AsyncStream, 1 producer", goal: 250),
      .speedup("link 64, 4 producers\(place)", over: "AsyncStream, 4 producers", goal: 20),
      .speedup("link 1024, 4 producers\(place)", over: "AsyncStream, 4 producers", goal: 40),
      .speedup("link 1024, chunks of 64, 4 producers\(place)", over: "AsyncStream, 4 producers", goal: 250),
      .speedup("link 1024, chunks of 256, 4 producers\(place)", over: "AsyncStream, 4 producers", goal: 250),
      .speedup("link 1024, messages\(place)", over: "AsyncStream, messages", goal: 20),
      .speedup("link 1024, chunks of 64, messages\(place)", over: "AsyncStream, messages", goal: 20),
    ]
  } + [
    .speedup("link 1024, 1 producer", over: "AsyncStream bounded 1024, 1 producer"),
    .speedup("link 1024, 1 producer, one thread", over: "AsyncStream, 1 producer, one thread"),
    .speedup("link 1024, chunks of 64, 1 producer, one thread", over: "AsyncStream, 1 producer, one thread"),
  ])

/// A case on the pool, or on one thread of its own.
private func placed(
  _ name: String, _ place: String, count: Int, expecting: @escaping @Sendable (Int) -> Int,
  _ work: @escaping @Sendable (Int) async -> Int
) -> Case {
  .timed(name + place, count: count, expecting: expecting) { count in
    if place.isEmpty { return await work(count) }
    return await Task(executorPreference: SingleThreadExecutor()) { await work(count) }.value
  }
}

private let streams: [Case] =
  [1, 4].flatMap { producers -> [Case] in
    [
      .timed("AsyncStream, \(producerWords(producers))", count: 100_000, expecting: Arithmetic.sum) {
        await streamHop($0, producers: producers, making: { $0 }, reading: { $0 })
      },
      .timed("AsyncStream bounded 1024, \(producerWords(producers))", count: 50_000, expecting: Arithmetic.sum) {
        await boundedStreamHop($0, producers: producers, capacity: 1024)
      },
    ]
  } + [
    placed("AsyncStream, 1 producer", ", one thread", count: 100_000, expecting: Arithmetic.sum) {
      await streamHop($0, producers: 1, making: { $0 }, reading: { $0 })
    },
    .timed("AsyncStream, messages", count: 100_000, expecting: messageSum) {
      await streamHop($0, producers: 1, making: { Message($0) }, reading: { $0.check })
    },
  ]

private func producerWords(_ count: Int) -> String { count == 1 ? "1 producer" : "\(count) producers" }

@Sendable
private func messageSum(_ count: Int) -> Int { Arithmetic.sum(count) }

/// Producers send element by element; the consumer takes what is there.
private func linkHop<Element: Sendable>(
  _ count: Int, producers: Int, capacity: Int, making make: @escaping @Sendable (Int) -> Element,
  reading read: @escaping @Sendable (Element) -> Int
) async -> Int {
  let link = Link<Element>(limit: .elements(capacity), writers: producers)
  return await withTaskGroup(of: Int.self) { group in
    for index in 0..<producers {
      group.addTask {
        for value in share(count, of: index, among: producers) { await link.send(make(value)) }
        link.finish()
        return 0
      }
    }
    group.addTask { await readAll(link, reading: read) }
    return await group.reduce(0, &+)
  }
}

/// Producers send whole chunks.
private func chunkHop<Element: Sendable>(
  _ count: Int, producers: Int, capacity: Int, chunk size: Int, making make: @escaping @Sendable (Int) -> Element,
  reading read: @escaping @Sendable (Element) -> Int
) async -> Int {
  let link = Link<Element>(limit: .elements(capacity), chunkSize: size, writers: producers)
  return await withTaskGroup(of: Int.self) { group in
    for index in 0..<producers {
      group.addTask {
        var chunk = Chunk<Element>()
        for value in share(count, of: index, among: producers) {
          chunk.append(make(value))
          if chunk.count == size { await link.send(&chunk) }
        }
        await link.send(&chunk)
        link.finish()
        return 0
      }
    }
    group.addTask { await readAll(link, reading: read) }
    return await group.reduce(0, &+)
  }
}

private func readAll<Element: Sendable>(_ link: Link<Element>, reading read: (Element) -> Int) async -> Int {
  var chunk = Chunk<Element>()
  var sum = 0
  do {
    while try await link.receive(into: &chunk) {
      chunk.visit { sum &+= read($0) }
      chunk.removeAll()
    }
  } catch {
    return -1
  }
  link.closeReader()
  return sum
}
