import Foundation
import Testing
import WeirChat
import WeirStore

@testable import WeirCommandKit

/// Files, stores and disks as they should not be: each a clear error, a fitting code, and nothing lost.
@Suite struct `Replaying in trouble` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Ends as it should, and leaves nothing behind that looks like work done.
  private func expect(
    _ command: String, _ code: ExitCode, _ stable: String, _ words: String = "",
    location: SourceLocation = #_sourceLocation
  ) throws {
    let result = try Shell.run(command, in: folder)
    #expect(result.code == code.rawValue, "\(result.errors)", sourceLocation: location)
    #expect(result.output == "", sourceLocation: location)
    #expect(result.errors.hasPrefix("weir: "), "\(result.errors)", sourceLocation: location)
    #expect(result.errors.contains("[\(stable)]\n"), "\(result.errors)", sourceLocation: location)
    if !words.isEmpty { #expect(result.errors.contains(words), "\(result.errors)", sourceLocation: location) }
  }

  // MARK: Inputs

  @Test func `a missing file and a directory are told before a store is made`() throws {
    try folder.write("", to: "good")
    try expect("weir replay good none", .noInput, "input.missing", "none does not exist")
    try expect("weir replay .", .noInput, "input.directory", "is a directory")
    #expect(!FileManager.default.fileExists(atPath: folder.file("weir.sqlite")))
  }

  @Test func `an empty file is nothing to read, and no failure`() throws {
    for command in ["touch in; weir replay in", "printf '\\n\\r\\n\\n' | weir replay", "weir replay < /dev/null"] {
      let result = try Shell.run(command, in: folder)
      #expect(result.code == 0 && result.errors == "")
      #expect(
        result.output.hasPrefix("0 lines, ") && result.output.contains("there was nothing to read: the store is empty"))
    }
  }

  @Test func `a file that is plainly something else is refused by its kind`() throws {
    try folder.write([0x1F, 0x8B, 8, 0] + (0..<200).map { UInt8($0) }, to: "gzip")
    try folder.write([0x28, 0xB5, 0x2F, 0xFD, 4], to: "zstd")
    try folder.write(Array("SQLite format 3\0".utf8) + [16, 0], to: "database")
    try expect("weir replay gzip", .dataRefused, "input.binary", "compressed with gzip")
    try expect("weir replay zstd", .dataRefused, "input.binary", "compressed with zstd")
    try expect("weir replay database", .dataRefused, "input.binary", "is a SQLite database")
  }

  @Test func `lines of a binary file are refused one by one, and every byte of them is kept`() throws {
    var random = SeededRandom(seed: 1, stream: 2)
    let noise = (0..<50_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    try folder.write([0] + noise, to: "noise")
    let result = try Shell.run("weir replay noise --json --rejects rejects", in: folder)
    #expect(result.code == ExitCode.dataRefused.rawValue)
    #expect(result.errors.contains("noise holds zero bytes"))
    let rejects = try folder.contents(of: "rejects").split(separator: 10).map { try jsonObject(Array($0)) }
    let lines = try #require(try result.summary()["lines"] as? [String: Int])
    #expect(lines["read"] == rejects.count && lines["refused"] == rejects.count)
    let kept = rejects.reduce(0) { sum, reject in
      let text = (reject["text"] as? String)?.utf8.count
      return sum + (text ?? (reject["base64"] as? String).flatMap { Data(base64Encoded: $0) }?.count ?? 0)
    }
    // All but the line breaks, a CR before one, and empty lines.
    let breaks = noise.count { $0 == 10 }
    #expect(kept <= noise.count + 1 - breaks && kept >= noise.count + 1 - 2 * breaks)
  }

  @Test func `a line of 100 MB is refused, the rest goes on, and memory stays small`() throws {
    let report = try generate(GeneratorSettings(messages: 50, recalls: 0, seed: 1), to: "good", in: folder)
    let result = try Shell.run(
      """
      { head -n 20 good; head -c 104857600 /dev/zero | tr '\\0' x; echo; tail -n +21 good; } > in
      weir replay in --json --rejects rejects
      """, in: folder)
    #expect(result.code == 0)
    let summary = try result.summary()
    let lines = try #require(summary["lines"] as? [String: Int])
    #expect(lines["read"] == report.lines + 1 && lines["refused"] == 1)
    #expect(lines["inserted"] == report.stored)
    let reject = try jsonObject(folder.contents(of: "rejects"))
    #expect(reject["line"] as? Int == 21 && reject["length"] as? Int == 104_857_600)
    #expect(reject["code"] as? String == RefusedLine.code)
    #expect(try #require(summary["peakMemory"] as? Int) < 100 << 20)
  }

  @Test func `a single line that is refused counts with its bytes`() throws {
    let result = try Shell.run(
      "head -c 2097152 /dev/zero | tr '\\0' x | weir replay --rejects rejects", in: folder)
    #expect(result.code == ExitCode.dataRefused.rawValue)
    #expect(result.output.hasPrefix("1 line, 2.00 MiB in "), "\(result.output)")
    #expect(result.output.contains("holds 0 messages in 0 conversations"))
  }

  @Test func `many lines just below the limit do not pile up in memory`() throws {
    // 200 refusals of 1 MB each: more than any link may hold.
    let result = try Shell.run(
      """
      for i in {1..200}; do printf '{"x":"'; head -c 1000000 /dev/zero | tr '\\0' x; echo '"}'; done \
        | weir replay --json --rejects rejects
      """, in: folder)
    let summary = try result.summary()
    #expect(result.code == ExitCode.dataRefused.rawValue)
    #expect((summary["lines"] as? [String: Int])?["refused"] == 200)
    #expect(try #require(summary["peakMemory"] as? Int) < 150 << 20)
  }

  @Test func `one file for two purposes is refused, also under another name`() throws {
    try folder.write("{}\n", to: "in")
    try expect("weir replay in --rejects in", .usage, "usage.same-file")
    try expect("ln in other; weir replay in --rejects other", .usage, "usage.same-file")
    try expect("weir replay in --store in", .usage, "usage.same-file")
    for name in [":memory:", "file:other"] {
      try expect("weir replay in --store \(name)", .usage, "usage.no-file")
    }
    try expect("weir replay in --store s --rejects s", .usage, "usage.same-file")
    try expect("weir replay in --store s --rejects s-wal", .usage, "usage.same-file")
    #expect(try folder.contents(of: "in") == Array("{}\n".utf8))
  }

  // MARK: Stores

  @Test func `a store that cannot be made or written is told, with a remedy`() throws {
    try folder.write("{}\n", to: "in")
    try expect("weir replay in --store none/s", .cannotCreate, "store.cannot-lock", "No such file or directory")
    try expect("mkdir folder; weir replay in --store folder", .cannotCreate, "store.cannot-open")
    try expect("weir replay in --rejects none/r", .cannotCreate, "output.cannot-create")
  }

  @Test(.enabled(if: getuid() != 0 || FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
  func `a store or folder without permission to write is left as it is`() async throws {
    // The superuser may write anywhere, so the command runs as somebody else.
    let weir = getuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups \"$WEIR\"" : "weir"
    let report = try generate(GeneratorSettings(messages: 20, recalls: 0, seed: 1), to: "in", in: folder)
    #expect(try Shell.run("chmod 755 . && weir replay in --store s && chmod 444 s", in: folder).code == 0)
    let before = try folder.contents(of: "s")
    // The executable itself may be out of reach for others.
    guard try Shell.run("\(weir) --version", in: folder).code == 0 else { return }
    try expect("\(weir) replay in --store s", .cannotCreate, "store.cannot-lock", "Permission denied")
    try expect("chmod 777 .; \(weir) replay in --store s", .cannotCreate, "store.read-only", "cannot be written")
    #expect(try folder.contents(of: "s") == before)
    let store = try await SQLiteMessageStore.open(path: folder.file("s"), account: GeneratorSettings.defaultAccount)
    #expect(try await store.totals().value.messages == report.stored)
    try await store.close()
  }

  @Test func `files of others are never touched`() async throws {
    try folder.write("{}\n", to: "in")
    try folder.write("my diary", to: "diary")
    let foreign = Schema(applicationID: 77, migrations: [Migration("theirs", "CREATE TABLE theirs(x)")])
    try await WriterThread.open(path: folder.file("foreign"), schema: foreign) { (_) throws(StoreError) in 0 }.close()
    for (name, code) in [("diary", "store.corrupt"), ("foreign", "store.foreign-file")] {
      let before = try folder.contents(of: name)
      try expect("weir replay in --store \(name)", .dataRefused, code, "it was left as it is")
      #expect(try folder.contents(of: name) == before)
    }
  }

  @Test func `a store of another account is refused`() throws {
    try folder.write("{}\n", to: "in")
    _ = try Shell.run("weir replay in", in: folder)
    try expect("weir replay in --account 7", .dataRefused, "store.foreign-file", "--account")
  }

  @Test func `a damaged store is refused and left as it is`() throws {
    try generate(GeneratorSettings(messages: 2_000, seed: 1), to: "in", in: folder)
    #expect(try Shell.run("weir replay in", in: folder).code == 0)
    var bytes = try folder.contents(of: "weir.sqlite")
    // Every page but the first is overwritten.
    for index in 4_096..<bytes.count { bytes[index] = 0xA5 }
    try folder.write(bytes, to: "weir.sqlite")
    try expect("weir replay in", .dataRefused, "store.corrupt", "is damaged")
    try expect("weir replay in --check", .dataRefused, "store.corrupt", "is damaged")
    #expect(try folder.contents(of: "weir.sqlite") == bytes)
  }

  @Test func `a store whose tables are not those of its format is damaged, not a fault of ours`() throws {
    try generate(GeneratorSettings(messages: 50, seed: 1), to: "in", in: folder)
    #expect(try Shell.run("weir replay in", in: folder).code == 0)
    var bytes = try folder.contents(of: "weir.sqlite")
    let name = Array("last_message".utf8)
    var renamed = 0
    for index in 0..<bytes.count - name.count where Array(bytes[index..<index + name.count]) == name {
      bytes[index + name.count - 1] = UInt8(ascii: "X")
      renamed += 1
    }
    #expect(renamed > 0)
    try folder.write(bytes, to: "weir.sqlite")
    try expect("weir replay in", .dataRefused, "store.corrupt", "not those of the file's format")
  }

  @Test func `a second replay on one store is kept away, and the first one is not disturbed`() async throws {
    let report = try generate(roughSettings(messages: 300, seed: 2), to: "in", in: folder)
    let result = try Shell.run(
      """
      mkfifo hints; set -m; "$WEIR" replay --follow --json in > hints & exec 3< hints; read -r line <&3
      ln -s weir.sqlite link; weir replay in -s link 2> second; echo $? >> second
      cat <&3 > rest & kill -INT %1; wait %1
      """, in: folder)
    #expect(result.code == ExitCode.interrupted.rawValue)
    let second = String(decoding: try folder.contents(of: "second"), as: UTF8.self)
    #expect(second.hasPrefix("weir: another replay writes to the store link (process "))
    #expect(second.hasSuffix("\n\(ExitCode.temporary.rawValue)\n"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("weir.sqlite.lock")))
    let after = try Shell.run("weir replay in --json", in: folder)
    #expect((try after.summary()["store"] as? [String: Any])?["messages"] as? Int == report.stored)
  }

  // MARK: Space

  @Test func `when files may not grow it says so and ends with 75, and the same command completes the work later`()
    async throws
  {
    try generate(roughSettings(messages: 3_000, seed: 11), to: "in", in: folder)
    let full = try Shell.run("(ulimit -f 700; \"$WEIR\" replay in --patience 1)", in: folder)
    #expect(full.code == ExitCode.temporary.rawValue)
    #expect(full.errors.contains("trying again for up to 1.0s"))
    #expect(full.errors.contains("the disk is full, or a quota or file size limit is reached"))
    #expect(full.errors.contains("[store.disk-full]\nWhat was stored before is safe."))
    let store = try await SQLiteMessageStore.open(
      path: folder.file("weir.sqlite"), account: GeneratorSettings.defaultAccount)
    let kept = try await store.totals().value.messages
    #expect(try await store.audit().value == [])
    try await store.close()
    #expect(kept > 0)

    #expect(try Shell.run("weir replay in && weir replay in -s whole", in: folder).code == 0)
    let hashes = try await (contentHash(folder.file("weir.sqlite")), contentHash(folder.file("whole")))
    #expect(hashes.0 == hashes.1)
  }

  @Test(.enabled(if: canMount)) func `when space returns in time the replay goes on by itself`() async throws {
    try generate(roughSettings(messages: 3_000, seed: 12), to: "in", in: folder)
    let result = try Shell.run(
      """
      mkdir disk; mkfifo remarks; mount -t tmpfs -o size=1m tmpfs disk; trap 'umount disk' EXIT; set -m
      "$WEIR" replay in -s disk/s --patience 60 --json > out 2> remarks & exec 3< remarks; read -r first <&3
      mount -o remount,size=64m disk; wait %1; code=$?; cat <&3 > rest; echo "$first"; cat rest; cp disk/s .; exit $code
      """, in: folder)
    #expect(result.code == 0)
    #expect(result.output.hasPrefix("weir: store.disk-full"))
    #expect(result.output.contains("trying again"))
    #expect(result.output.hasSuffix("weir: the store works again\n"))
    #expect(try Shell.run("weir replay in -s whole", in: folder).code == 0)
    let hashes = try await (contentHash(folder.file("s")), contentHash(folder.file("whole")))
    #expect(hashes.0 == hashes.1)
  }

  private static let canMount: Bool = {
    guard let folder = try? TemporaryFolder() else { return false }
    return (try? Shell.run("mount -t tmpfs -o size=1m tmpfs . && umount '\(folder.path)'", in: folder).code) == 0
  }()

  @Test func `a reader of the output that leaves ends it, and what was stored stays`() async throws {
    try generate(roughSettings(messages: 3_000, seed: 13), to: "in", in: folder)
    let result = try Shell.run(
      "weir replay in --json | head -n 1 > /dev/null; exit ${PIPESTATUS[0]}", in: folder)
    #expect(result.code == ExitCode.brokenPipe.rawValue && result.errors == "")
    #expect(try Shell.run("weir replay in && weir replay in -s whole", in: folder).code == 0)
    let hashes = try await (contentHash(folder.file("weir.sqlite")), contentHash(folder.file("whole")))
    #expect(hashes.0 == hashes.1)
  }
}
