import Foundation
import Synchronization
import Weir
import WeirChunks
import WeirRadio

/// Two people chat over one slow channel while a file goes from one to the other. Nothing is real but the code: the modems and the
/// air are simulated, and their time runs ten times as fast.
@main
struct RadioChat {
  static let speed = 10
  static let names = ["Ann", "Ben"]
  static let key = Data("sixteen byte key".utf8)
  static let texts = [
    [
      "the trail map is on its way", "it is the one with the springs marked", "are you still at the upper hut?",
      "ok, we come up tomorrow then",
    ], ["great, we lost ours in the rain", "yes, all well here, bring bread", "see you at noon"],
  ]

  nonisolated static func main() async throws {
    let clock = GraphClock(ScaledClock(factor: speed))
    let channel = RadioChannel(frequency: 470_500_000, modulation: .lora(try LoRaModulation(spreadingFactor: 7)))
    let air = Air(channel, clock)
    let people = (0..<2).map { Person($0, air) }
    let chat = try blueprint(people, clock)
    if let form = CommandLine.arguments.dropFirst().first.flatMap(DescriptionForm.init) {
      return print(chat.describe(as: form))
    }
    // Random bytes: nothing can be made smaller, as with a picture.
    let map = Data((0..<24_000).map { _ in UInt8.random(in: 0...255) })
    let request = try FileTransferSendRequest(data: map, sourceShortID: 0, targetShortID: 1, controlKey: key)
    let start = clock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for person in people {
        group.addTask { try? await person.modem.run() }
        group.addTask { try? await person.simulator.run(on: person.line.modem) }
        group.addTask { await person.listen() }
      }
      let result = try await chat.run { live in
        let result = await people[0].manager.send(request)
        // Nobody can say anything any more once the file is there.
        await live.drain(deadline: .seconds(5))
        return result
      }
      let seconds = (clock.now - start) / .seconds(1)
      let rate = Int(Double(map.count) / seconds)
      print("the map: \(result.outcome), \(map.count) bytes in \(Int(seconds)) s, \(rate) a second")
      group.cancelAll()
    }
    let waits = people.flatMap { $0.latencies.withLock { $0 } }.sorted()
    let longest = channel.modulation.timeOnAir(bytes: channel.modulation.maximumBytes)
    guard let worst = waits.last else { return print("nobody was heard") }
    print("chat: \(waits.count) texts heard, median \(short(waits[waits.count / 2])), slowest \(short(worst)); the")
    print("longest frame of the file takes \(short(longest))")
  }

  /// What people type, made small, and what they hear, as one graph.
  static func blueprint(_ people: [Person], _ clock: GraphClock) throws -> Blueprint<Void> {
    let codec = try SmallMessageCodec()
    return try Blueprint("radio chat") { graph in
      for (person, peer) in [(people[0], people[1]), (people[1], people[0])] {
        let name = names[Int(person.id)]
        graph.source("\(name) types", person.typing(clock))
          .via("\(name): smaller", EncodeSmallMessages(codec))
          .sink("\(name): radio") { person.say($0) }
        graph.source("\(name) hears", person.heard)
          .via("\(name): text", DecodeSmallMessages(codec))
          .sink("\(name): screen") { text in
            let latency = person.noteLatency(from: peer)
            print("\(short(latency))  \(names[Int(peer.id)]): \(String(decoding: text, as: UTF8.self))")
          }
      }
    }
  }

  static func short(_ time: Duration) -> String {
    let tenths = Int((time / .milliseconds(100)).rounded())
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
