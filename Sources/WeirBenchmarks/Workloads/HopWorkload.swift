import Weir

/// One bounded link between tasks, and AsyncStream in its place. Links are measured on the pool and on the executor that
/// runs a whole graph on one thread; AsyncStream, which cannot choose, on the pool as its users meet it, and on one
/// thread to compare.
let hop = Family(
  name: "hop", title: "one link between tasks",
  cases: streams + ["", ", one thread"].flatMap(links),
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

private func links(_ place: String) -> [Case] {
  var cases: [Case] = []
  for capacity in [16, 64, 256, 1024] {
    for producers in [1, 4] {
      let name = "link \(capacity), \(producerWords(producers))"
      cases.append(
        placed(name, place, count: 1_000_000, expecting: Arithmetic.sum) {
          await linkHop($0, producers: producers, capacity: capacity)
        })
    }
  }
  for chunk in [64, 256] {
    for producers in [1, 4] {
      let name = "link 1024, chunks of \(chunk), \(producerWords(producers))"
      cases.append(
        placed(name, place, count: 4_000_000, expecting: Arithmetic.sum) {
          await chunkHop($0, producers: producers, capacity: 1024, chunk: chunk)
        })
    }
  }
  return cases + [
    placed("link 1024, messages", place, count: 1_000_000, expecting: messageSum) {
      await linkHop($0, producers: 1, capacity: 1024, of: Message.self)
    },
    placed("link 1024, chunks of 64, messages", place, count: 1_000_000, expecting: messageSum) {
      await chunkHop($0, producers: 1, capacity: 1024, chunk: 64, of: Message.self)
    },
  ]
}

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
        await streamHop($0, producers: producers)
      },
      .timed("AsyncStream bounded 1024, \(producerWords(producers))", count: 50_000, expecting: Arithmetic.sum) {
        await boundedStreamHop($0, producers: producers, capacity: 1024)
      },
    ]
  } + [
    placed("AsyncStream, 1 producer", ", one thread", count: 100_000, expecting: Arithmetic.sum) {
      await streamHop($0, producers: 1)
    },
    .timed("AsyncStream, messages", count: 100_000, expecting: messageSum) {
      await streamHop($0, producers: 1, of: Message.self)
    },
  ]

private func producerWords(_ count: Int) -> String { count == 1 ? "1 producer" : "\(count) producers" }

@Sendable
private func messageSum(_ count: Int) -> Int { Arithmetic.sum(count) }

/// Producers send element by element; the consumer takes what is there.
private func linkHop<Element: HopElement>(
  _ count: Int, producers: Int, capacity: Int, of type: Element.Type = Int.self
) async -> Int {
  let link = Link<Element>(limit: .elements(capacity), writers: producers)
  return await withTaskGroup(of: Int.self) { group in
    for index in 0..<producers {
      group.addTask {
        for value in share(count, of: index, among: producers) { await link.send(Element(value)) }
        link.finish()
        return 0
      }
    }
    group.addTask { await readAll(link) }
    return await group.reduce(0, &+)
  }
}

/// Producers send whole chunks, each filled at once, as nodes do that make many elements of one.
private func chunkHop<Element: HopElement>(
  _ count: Int, producers: Int, capacity: Int, chunk size: Int, of type: Element.Type = Int.self
) async -> Int {
  let link = Link<Element>(limit: .elements(capacity), chunkSize: size, writers: producers)
  return await withTaskGroup(of: Int.self) { group in
    for index in 0..<producers {
      group.addTask {
        var chunk = Chunk<Element>()
        let values = share(count, of: index, among: producers)
        var next = values.lowerBound
        while next < values.upperBound {
          let end = min(next + size, values.upperBound)
          chunk.append(contentsOf: (next..<end).lazy.map { Element($0) })
          await link.send(&chunk)
          next = end
        }
        link.finish()
        return 0
      }
    }
    group.addTask { await readAll(link) }
    return await group.reduce(0, &+)
  }
}

private func readAll<Element: HopElement>(_ link: Link<Element>) async -> Int {
  var chunk = Chunk<Element>()
  var sum = 0
  do {
    while try await link.receive(into: &chunk) {
      chunk.visit { sum &+= $0.check }
      chunk.removeAll()
    }
  } catch {
    return -1
  }
  link.closeReader()
  return sum
}
