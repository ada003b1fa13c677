import Weir

extension Reading {
  /// Makes a batch of the dead letter in hand, or of one that is asked for; nil where there is none.
  mutating func replayNext(_ held: HistoryToken) async throws -> BatchPromise? {
    guard let page = try await history.claimReplay(of: source.author) else {
      replay = nil
      return nil
    }
    // One that comes again has its attempts behind it.
    if replay?.page.end != page.end { replay = (page, PassProgress(pageSize: 1)) }
    let promise = BatchPromise()
    take(page, held, promise)
    return promise
  }

  /// Takes in what became of a replay.
  mutating func settleReplay(_ outcome: BatchOutcome) async throws {
    guard var letter = replay else { return }
    let seq = letter.page.end.seq
    switch outcome {
    case .merged(let end, let delay):
      if end == seq {
        replay = nil
        settings.report(.replayed(seq: seq))
      } else {
        self.delay = delay ?? PassProgress.shortestDelay
        settings.report(.deferred(from: seq, self.delay))
      }
    case .lostRace:
      replay = nil
      settings.report(.lostRace)
    case .dropped, .failed:
      let error =
        if case .failed(let error) = outcome { error } else {
          HistoryError(.batchDropped, "a node threw the replay away: pass on or fail each batch") as any Error
        }
      let kind = FailureKind(error)
      let step = letter.progress.failed(scanned: 1, isTransient: kind.isTransient, kind: kind.name)
      replay = letter
      guard case .read(let delay, _) = step else {
        replay = nil
        let attempts = letter.progress.attempts
        try? await history.failReplay(of: source.author, seq, attempts: attempts, reason: "\(error)")
        settings.report(.deadLettered(seq: seq, attempts: attempts, reason: "\(error)"))
        return
      }
      self.delay = delay
      settings.report(
        .failed(PassFailure(seqs: [seq], cause: error, attempt: letter.progress.attempts, delay: delay)))
    }
  }
}
