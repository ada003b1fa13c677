import ChatFixtures
import Testing
import Weir
import WeirStore

@testable import WeirChat

@Suite("Parts of the lattice")
struct LatticePartsTests {
  @Test("interval sets do what sets of numbers do")
  func intervals() throws {
    for seed in 0..<UInt64(200) {
      var random = SeededRandom(seed)
      var (set, numbers) = (SeqIntervals(), Set<Int64>())
      for _ in 0..<30 {
        let low = Int64(random.below(60)) - 3
        let range = low...(low + Int64(random.below(6)))
        set.insert(range)
        numbers.formUnion(range.filter { $0 > 0 })
      }
      var other = SeqIntervals()
      for _ in 0..<10 { other.insert(Int64(random.below(60))) }
      let others = Set(other.ranges.flatMap { Array($0) })
      #expect(set.ranges.flatMap { Array($0) } == numbers.sorted())
      #expect(set.count == Int64(numbers.count) && set.last == numbers.max() ?? 0)
      #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
      for seq in Int64(-2)...70 { #expect(set.contains(seq) == numbers.contains(seq)) }
      #expect(set.subtracting(other).ranges.flatMap { Array($0) } == numbers.subtracting(others).sorted())
      #expect(set.gaps(in: 5...50).ranges.flatMap { Array($0) } == (5...50).filter { !numbers.contains($0) })
      #expect(try SeqIntervals(packed: set.packed) == set)
    }
  }

  @Test("interval sets take the greatest numbers, and damaged bytes are told")
  func extremeIntervals() throws {
    var set = SeqIntervals([.min ... .max])
    #expect(set.ranges == [1...(Int64.max - 1)] && set.count == .max - 1)
    set.insert(.max)
    #expect(try SeqIntervals(packed: set.packed) == set)
    #expect(set.gaps(in: 0...Int64.max).isEmpty)
    for bytes in [[0x80], [1], [0, 0], [1, 0xff]] as [[UInt8]] {
      #expect(throws: StoreError.self) { try SeqIntervals(packed: bytes) }
    }
  }

  @Test("amendments survive their stored form, and damaged bytes are told, not trapped on")
  func amendments() throws {
    let projection = try MemoryProjection()
    let coding = AmendmentCoding(strings: projection.writer.strings)
    var amendments = Amendments()
    amendments.marks = [.deletedForSelf]
    amendments.evidence = .delivered
    amendments.edit = EditVersion(
      version: 3, time: 4, editorID: "editor", body: BodyVersion(form: .line, seq: 0, contentType: -1, bytes: [1, 2]))
    amendments.readers = [ByteKey(text: "a"): 0, ByteKey(text: "e\u{301}"): 7]
    amendments.reportedReaders = 5
    amendments.reportedReadTime = 6
    amendments.burnDuration = 30
    amendments.acknowledgement = Placement(seq: 1, sendTime: -2, serverMsgID: "s")
    amendments.seqs = [4, 9]
    amendments.attempt = SendAttempt(number: 2, step: .failed)
    amendments.local = LocalSetting(revision: -1, text: "words")
    amendments.recall = RecallRecord(time: 1, revokerID: "r", revokerRole: 2, isByAdmin: true, seq: 3)
    let copy = Placement(seq: 8, sendTime: 9, serverMsgID: "")
    let bytes = try coding.encode(amendments, copy: copy)
    let decoded = try coding.decode(bytes)
    #expect(decoded.amendments == amendments && decoded.copy == copy)
    #expect(try coding.encode(Amendments()).isEmpty)
    // What equals the row's place is left out, and needs the row to be read.
    let place = try #require(amendments.acknowledgement)
    let short = try coding.encode(amendments, copy: Placement(), placement: place)
    let whole = try coding.decode(short, placement: place)
    #expect(whole.amendments == amendments && whole.copy == Placement() && short.count < bytes.count)
    #expect(throws: StoreError.self) { try coding.decode(short) }
    var random = SeededRandom(5)
    for _ in 0..<3_000 {
      var damaged = bytes
      for _ in 0...random.below(3) { damaged[random.below(damaged.count)] = UInt8(random.below(256)) }
      if random.once(in: 3) { damaged.removeLast(random.below(damaged.count)) }
      _ = try? coding.decode(damaged)
    }
  }

  @Test("a private message burns duration seconds after its reading, never unread, and never overflows")
  func burning() {
    func deadline(_ isRead: Bool, _ read: Int64, _ seconds: Int64) -> Int64? {
      BurnRule.deadline(sendTime: 1_000, isRead: isRead, readTime: read, burnDuration: seconds)
    }
    #expect(deadline(false, 0, 30) == nil)
    #expect(deadline(true, 0, 0) == nil)
    #expect(deadline(true, 0, 30) == 31_000)
    #expect(deadline(true, 5_000, 30) == 35_000)
    #expect(deadline(true, 5_000, .max) == .max)
  }

  @Test("a sourced projection stores the position of each source with its facts")
  func sourced() async throws {
    let inbox = try await Inbox()
    let elements = (1...300).map { number in
      let source = number % 3 == 0 ? "pull" : "push"
      return SourcedFact(
        number % 5 == 0 ? nil : Make.message("m\(number)", seq: Int64(number)),
        checkpoint: SourceCheckpoint(source: source, position: Array("\(number)".utf8)))
    }
    let blueprint = try Blueprint("sourced") { graph in
      graph.source("facts", elements).boundary("wait", limit: .elements(100))
        .via("projection", SourcedProjectionStage(inbox.store, maximum: 16)).ignore("end")
    }
    try await blueprint.run()
    #expect(try await inbox.store.totals().value.messages == 240)
    for (source, position) in [("push", "299"), ("pull", "300")] {
      #expect(try await inbox.store.checkpoint(of: source).value == Array(position.utf8))
    }
    try await inbox.finish()
  }
}
