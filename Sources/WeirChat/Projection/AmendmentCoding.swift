import WeirStore

/// The stored form of ``Amendments``: a tag before each part that is there. Nothing known takes no byte.
struct AmendmentCoding {
  private enum Tag {
    static let marks: Int64 = 1
    static let evidence: Int64 = 2
    static let edit: Int64 = 3
    static let readers: Int64 = 4
    static let reported: Int64 = 5
    static let burn: Int64 = 6
    static let acknowledgement: Int64 = 7
    static let attempt: Int64 = 8
    static let local: Int64 = 9
    static let recall: Int64 = 10
    /// The placement of the canonical copy, where an acknowledgement names a smaller one.
    static let copyPlacement: Int64 = 11
    static let seqs: Int64 = 12
    /// The acknowledgement puts the message where its row stands. From the third format on, as the next one.
    static let acknowledgedHere: Int64 = 13
    /// The canonical copy names no placement.
    static let copyUnplaced: Int64 = 14
  }

  let strings: InternedStrings

  /// The bytes of the amendments and of the copy's own placement, if that differs from the row's. What equals the row's
  /// `placement` is not written a second time.
  func encode(
    _ amendments: Amendments, copy: Placement? = nil, placement: Placement? = nil
  ) throws(StoreError) -> [UInt8] {
    var writer = PackedWriter()
    if !amendments.marks.isEmpty { writer.add([Tag.marks, amendments.marks.rawValue]) }
    if amendments.evidence != .none { writer.add([Tag.evidence, amendments.evidence.rawValue]) }
    if let edit = amendments.edit {
      writer.add([Tag.edit, edit.version, edit.time, try strings.number(edit.editorID)])
      writer.add([edit.body.form.rawValue, Int64(edit.body.contentType)])
      writer.add(edit.body.bytes)
    }
    if !amendments.readers.isEmpty {
      writer.add([Tag.readers, Int64(amendments.readers.count)])
      var pairs: [(Int64, Int64)] = []
      for (reader, time) in amendments.readers { pairs.append((try strings.number(reader.text), time)) }
      for (reader, time) in pairs.sorted(by: { $0.0 < $1.0 }) { writer.add([reader, time]) }
    }
    if amendments.reportedReaders != 0 || amendments.reportedReadTime != 0 {
      writer.add([Tag.reported, amendments.reportedReaders, amendments.reportedReadTime])
    }
    if amendments.burnDuration != 0 { writer.add([Tag.burn, amendments.burnDuration]) }
    if let acknowledgement = amendments.acknowledgement {
      if acknowledgement == placement {
        writer.add(Tag.acknowledgedHere)
      } else {
        add(acknowledgement, Tag.acknowledgement, &writer)
      }
    }
    if !amendments.seqs.isEmpty {
      writer.add([Tag.seqs, Int64(amendments.seqs.count)])
      writer.add(amendments.seqs.sorted())
    }
    if let attempt = amendments.attempt { writer.add([Tag.attempt, attempt.number, attempt.step.rawValue]) }
    if let local = amendments.local {
      writer.add([Tag.local, local.revision])
      writer.add(local.text)
    }
    if let recall = amendments.recall {
      writer.add([
        Tag.recall, recall.time, try strings.number(recall.revokerID), Int64(recall.revokerRole),
        recall.isByAdmin ? 1 : 0, recall.seq,
      ])
    }
    if let copy {
      if copy.isEmpty { writer.add(Tag.copyUnplaced) } else { add(copy, Tag.copyPlacement, &writer) }
    }
    return writer.bytes
  }

  /// Reads the bytes, with the placement of the row they belong to, if they do.
  func decode(_ bytes: [UInt8], placement place: Placement? = nil) throws(StoreError) -> (
    amendments: Amendments, copy: Placement?
  ) {
    var amendments = Amendments()
    var copy: Placement?
    var reader = PackedReader(bytes)
    while !reader.isAtEnd {
      switch try reader.number() {
      case Tag.marks: amendments.marks = MessageMarks(rawValue: try reader.number())
      case Tag.evidence: amendments.evidence = try known(ServerEvidence(rawValue: try reader.number()))
      case Tag.edit:
        let (version, time, editor) = (try reader.number(), try reader.number(), try reader.number())
        let form = try known(BodyVersion.Form(rawValue: try reader.number()))
        let contentType = Int32(truncatingIfNeeded: try reader.number())
        amendments.edit = EditVersion(
          version: version, time: time, editorID: try strings.text(editor),
          body: BodyVersion(form: form, seq: 0, contentType: contentType, bytes: try reader.rest()))
      case Tag.readers:
        let count = try reader.number()
        for _ in 0..<max(count, 0) {
          let name = try strings.text(try reader.number())
          amendments.readers[ByteKey(text: name)] = try reader.number()
        }
      case Tag.reported:
        amendments.reportedReaders = try reader.number()
        amendments.reportedReadTime = try reader.number()
      case Tag.burn: amendments.burnDuration = try reader.number()
      case Tag.acknowledgement: amendments.acknowledgement = try placement(&reader)
      case Tag.seqs:
        let count = try reader.number()
        for _ in 0..<max(count, 0) { amendments.seqs.insert(try reader.number()) }
      case Tag.attempt:
        amendments.attempt = SendAttempt(
          number: try reader.number(), step: try known(SendFact.Step(rawValue: try reader.number())))
      case Tag.local: amendments.local = LocalSetting(revision: try reader.number(), text: try reader.text())
      case Tag.recall:
        let (time, revoker, role) = (try reader.number(), try reader.number(), try reader.number())
        amendments.recall = RecallRecord(
          time: time, revokerID: try strings.text(revoker), revokerRole: Int32(truncatingIfNeeded: role),
          isByAdmin: try reader.number() != 0, seq: try reader.number())
      case Tag.copyPlacement: copy = try placement(&reader)
      case Tag.acknowledgedHere:
        guard let place else { throw StoreError(.corrupt, "an acknowledgement names a row that there is not") }
        amendments.acknowledgement = place
      case Tag.copyUnplaced: copy = Placement()
      default: throw StoreError(.corrupt, "what is known beside a message holds an unknown part")
      }
    }
    return (amendments, copy)
  }

  private func add(_ placement: Placement, _ tag: Int64, _ writer: inout PackedWriter) {
    writer.add([tag, placement.seq, placement.sendTime])
    writer.add(placement.serverMsgID)
  }

  private func placement(_ reader: inout PackedReader) throws(StoreError) -> Placement {
    Placement(seq: try reader.number(), sendTime: try reader.number(), serverMsgID: try reader.text())
  }

  private func known<Value>(_ value: Value?) throws(StoreError) -> Value {
    guard let value else { throw StoreError(.corrupt, "what is known beside a message holds an unknown number") }
    return value
  }
}

extension PackedWriter {
  fileprivate mutating func add(_ numbers: [Int64]) {
    for number in numbers { add(number) }
  }
}
