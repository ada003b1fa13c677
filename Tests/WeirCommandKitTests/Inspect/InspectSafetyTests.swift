import Foundation
import Testing
import WeirChat
import WeirStore

@testable import WeirCommandKit

/// Looking changes nothing, and what cannot be looked into is told.
@Suite struct `Looking without touching` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Names and bytes of all files but the shell's own.
  private func files() throws -> [String: [UInt8]] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
    return Dictionary(uniqueKeysWithValues: try names.map { ($0, try folder.contents(of: $0)) })
  }

  private func lookAll(_ name: String = "s") throws {
    for options in ["", "-c sg_777", "-m twin", "--gaps --orphans", "--json"] {
      let result = try Shell.run("weir inspect '\(name)' \(options)", in: folder)
      #expect(result.code == 0, "\(result.errors)")
    }
  }

  @Test func `no file is changed or left behind, also where none may be made`() async throws {
    _ = try await InspectedStore(folder)
    let before = try files()
    #expect(before["s-wal"] == nil)
    try lookAll()
    #expect(try files() == before)
    #expect(try Shell.run("mkdir 'a b%?#'; cp s 'a b%?#/s'; chmod 555 'a b%?#'", in: folder).code == 0)
    try lookAll("a b%?#/s")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("a b%?#")) == ["s"])
    #expect(try Shell.run("chmod 755 'a b%?#'; rm -r 'a b%?#'", in: folder).code == 0)
  }

  @Test func `beside a writer it sees what was committed, and leaves the log alone`() async throws {
    _ = try await InspectedStore(folder)
    let writer = try await SQLiteMessageStore.open(path: folder.file("s"), account: InspectedStore.account)
    _ = try await writer.apply([InspectedStore.message("fresh", seq: 2_003)])
    let log = try folder.contents(of: "s-wal")
    #expect(!log.isEmpty)
    #expect(try Shell.run("weir inspect s -m fresh", in: folder).output.contains("message sg_777/fresh\n"))
    #expect(try folder.contents(of: "s-wal") == log)
    // The writer goes on, also while it is looked at.
    async let looks: Void = lookAll()
    for seq in 0..<20 {
      _ = try await writer.apply([InspectedStore.message("more-\(seq)", seq: 3_000 + Int64(seq))])
    }
    try await looks
    #expect(try await writer.audit().value == [])
    try await writer.close()
    #expect(try Shell.run("weir inspect s -m more-19", in: folder).code == 0)
  }

  @Test func `a copy with its log and without the log's index is read whole, and stays as it is`() async throws {
    _ = try await InspectedStore(folder)
    let writer = try await SQLiteMessageStore.open(path: folder.file("s"), account: InspectedStore.account)
    _ = try await writer.apply([InspectedStore.message("fresh", seq: 2_003)])
    #expect(try Shell.run("mkdir copy && cp s s-wal copy/", in: folder).code == 0)
    try await writer.close()
    let before = (try folder.contents(of: "copy/s"), try folder.contents(of: "copy/s-wal"))
    #expect(try Shell.run("weir inspect copy/s -m fresh", in: folder).output.contains("message sg_777/fresh\n"))
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.file("copy"))) == ["s", "s-wal"])
    #expect(try folder.contents(of: "copy/s") == before.0 && folder.contents(of: "copy/s-wal") == before.1)
  }

  // MARK: Errors

  private func expect(
    _ command: String, _ code: ExitCode, _ stable: String, _ words: String = "",
    location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try files()
    let result = try Shell.run(command, in: folder)
    #expect(result.code == code.rawValue, "\(result.errors)", sourceLocation: location)
    #expect(result.output == "", sourceLocation: location)
    #expect(result.errors.contains("[\(stable)]\n"), "\(result.errors)", sourceLocation: location)
    if !words.isEmpty { #expect(result.errors.contains(words), "\(result.errors)", sourceLocation: location) }
    #expect(try files() == before, sourceLocation: location)
  }

  @Test func `what is no store is told by its kind`() async throws {
    try expect("weir inspect none", .noInput, "store.missing", "none does not exist")
    try expect("weir inspect .", .noInput, "store.not-a-file", "no regular file")
    try expect("weir inspect", .usage, "usage.missing-argument")
    try folder.write("", to: "empty")
    try expect("weir inspect empty", .dataRefused, "store.empty", "nothing was ever stored")
    try folder.write("my diary, long enough to be more than a header of a database\n", to: "diary")
    try expect("weir inspect diary", .dataRefused, "store.corrupt", "is damaged, or is no store at all")
    let foreign = Schema(applicationID: 77, migrations: [Migration("theirs", "CREATE TABLE theirs(x)")])
    try await WriterThread.open(path: folder.file("foreign"), schema: foreign) { (_) throws(StoreError) in 0 }.close()
    try expect("weir inspect foreign", .dataRefused, "store.foreign-file", "'weir replay' made")
  }

  @Test func `a newer and an older format are told, and a damaged store`() async throws {
    _ = try await InspectedStore(folder)
    // The format stands in the header at byte 60, big endian.
    let whole = try folder.contents(of: "s")
    for (format, code) in [(UInt8(99), "store.newer-format"), (1, "store.read-only")] {
      var bytes = whole
      bytes[63] = format
      try folder.write(bytes, to: "other")
      try expect("weir inspect other", .dataRefused, code, "it was left as it is")
    }
    var bytes = whole
    for index in 4_096..<bytes.count { bytes[index] = 0xA5 }
    try folder.write(bytes, to: "other")
    try expect("weir inspect other", .dataRefused, "store.corrupt", "is damaged")
  }

  @Test func `what the store does not know is told`() async throws {
    _ = try await InspectedStore(folder)
    try expect("weir inspect s -c si_none", .noInput, "inspect.unknown-conversation", "si_none")
    try expect("weir inspect s -m none", .noInput, "inspect.unknown-message", "a message none")
    try expect("weir inspect s -m twin -c si_none", .noInput, "inspect.unknown-conversation")
    try expect("weir inspect s -c sg_777 --before none", .noInput, "inspect.unknown-message", "none in sg_777")
    try expect("weir inspect s --before twin", .usage, "usage.conflict")
    try expect("weir inspect s -m twin -c sg_777 --before twin", .usage, "usage.conflict")
    try expect("weir inspect s --limit 0", .usage, "usage.bad-value")
  }
}
