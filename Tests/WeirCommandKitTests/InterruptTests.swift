import Foundation
import Testing

@testable import WeirCommandKit

@Suite(.serialized) struct `The interrupt listener` {
  private enum Heard: Equatable {
    case stop(InterruptSignal)
    case exit
  }

  private func listen() -> (InterruptListener, AsyncStream<Heard>.Iterator) {
    let (stream, continuation) = AsyncStream.makeStream(of: Heard.self)
    let listener = InterruptListener(
      exitAtOnce: { continuation.yield(.exit) }, onStop: { continuation.yield(.stop($0)) })
    return (listener, stream.makeAsyncIterator())
  }

  @Test func `asks to stop at the first signal and exits at the next Ctrl-C`() async {
    var (listener, heard) = listen()
    #expect(listener.received == nil)
    kill(getpid(), SIGINT)
    #expect(await heard.next() == .stop(.interrupt))
    #expect(listener.received == .interrupt)
    kill(getpid(), SIGINT)
    #expect(await heard.next() == .exit)
    listener.stop()
  }

  @Test func `takes SIGTERM as a request too, and a Ctrl-C after it as impatience`() async {
    var (listener, heard) = listen()
    kill(getpid(), SIGTERM)
    #expect(await heard.next() == .stop(.terminate))
    kill(getpid(), SIGINT)
    #expect(await heard.next() == .exit)
    #expect(listener.received?.exitCode == .terminated)
    listener.stop()
  }

  @Test func `leaves a signal ignored that was ignored, and puts back what was there`() async {
    let before = signal(SIGINT, SIG_IGN)
    var (listener, heard) = listen()
    kill(getpid(), SIGINT)
    kill(getpid(), SIGTERM)
    #expect(await heard.next() == .stop(.terminate))
    listener.stop()
    listener.stop()
    let afterwards = signal(SIGINT, before)
    #expect(unsafeBitCast(afterwards, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self))
    var terminate = sigaction()
    #expect(sigaction(SIGTERM, nil, &terminate) == 0)
    #expect(terminate.__sigaction_handler.sa_handler == nil)
  }

  @Test func `hurries only for Ctrl-C`() {
    var decision = InterruptDecision()
    #expect(decision.receive(.terminate) == .stop(.terminate))
    #expect(decision.receive(.terminate) == .nothing)
    #expect(decision.receive(.interrupt) == .exitAtOnce)
    #expect(decision.first == .terminate)
  }
}
