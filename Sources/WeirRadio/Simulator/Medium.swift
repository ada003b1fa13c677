import Synchronization
import Weir

/// The air between simulated radios: half duplex, with collisions, capture, loss, damage and duplicates, each link with its own
/// seeded fortune. Runs on any clock: virtual, real, or a scaled one.
///
/// Memory: the links, and the frames on the air.
public final class Medium: Sendable {
  private let state: Mutex<MediumState>
  private let hearers = Mutex<[Int: @Sendable (ReceivedFrame) -> Void]>([:])
  /// The clock on which frames take their time.
  public let clock: GraphClock

  /// - Parameters:
  ///   - seed: fixes what is lost and damaged.
  ///   - turnAround: in which a radio neither sends nor hears.
  public init(seed: UInt64, clock: GraphClock, turnAround: Duration = .milliseconds(5)) {
    state = Mutex(MediumState(seed: seed, turnAround: max(.zero, turnAround)))
    self.clock = clock
  }

  /// Lets a radio hear another.
  public func connect(from sender: Int, to hearer: Int, _ link: SimulatedLink = SimulatedLink()) {
    state.withLock { $0.connect(MediumState.Pair(from: sender, to: hearer), link) }
  }

  /// Lets two radios hear each other alike.
  public func connect(_ first: Int, _ second: Int, _ link: SimulatedLink = SimulatedLink()) {
    connect(from: first, to: second, link)
    connect(from: second, to: first, link)
  }

  /// Sets the channel that a radio hears; one that was never set hears every channel.
  public func tune(_ radio: Int, to channel: RadioChannel) { state.withLock { $0.tune(radio, to: channel) } }

  /// Says who takes what a radio hears; nil for nobody. Called once a frame; must not wait.
  public func setHearer(of radio: Int, _ hearer: (@Sendable (ReceivedFrame) -> Void)?) {
    hearers.withLock { $0[radio] = hearer }
  }

  /// What became of the frames from one radio to another.
  public func counts(from sender: Int, to hearer: Int) -> LinkCounts {
    state.withLock { $0.counts(MediumState.Pair(from: sender, to: hearer)) }
  }

  /// Whether a radio hears anybody.
  public func isBusy(at radio: Int, on channel: RadioChannel) -> Bool {
    let now = clock.now
    return state.withLock { $0.isBusy(at: radio, on: channel, now: now) }
  }

  /// Sends a frame: turns around, and takes its time on the air.
  /// - Parameter isCut: asked at the end; a frame that was cut short is heard by nobody.
  /// - Throws: `CancellationError`; the frame counts as cut short.
  public func transmit(
    from radio: Int, _ payload: [UInt8], on channel: RadioChannel, isCut: @Sendable () -> Bool = { false }
  ) async throws {
    try await clock.sleep(for: state.withLock { $0.turnAround })
    let transmission = state.withLock { $0.begin(from: radio, payload, on: channel, at: clock.now) }
    do {
      try await clock.sleep(until: transmission.end)
    } catch {
      _ = state.withLock { $0.end(transmission, isWhole: false) }
      throw error
    }
    let isWhole = !isCut()
    for delivery in state.withLock({ $0.end(transmission, isWhole: isWhole) }) {
      hearers.withLock { $0[delivery.to] }?(delivery.frame)
    }
  }

  /// Other people's frames, for listening before talking: sends frames from a radio with random pauses, until the task is
  /// cancelled.
  /// - Parameters:
  ///   - share: the part of the time on the air, above 0 and below 1.
  ///   - bytes: of each frame.
  public func foreignTraffic(
    from radio: Int, on channel: RadioChannel, share: Double, bytes: Int, seed: UInt64
  ) async {
    var generator = SimulatorGenerator(seed: seed, stream: UInt64(truncatingIfNeeded: radio))
    let airtime = channel.modulation.timeOnAir(bytes: bytes)
    let pause = airtime * (1 / min(0.99, max(0.01, share)) - 1)
    while !Task.isCancelled {
      do {
        try await clock.sleep(for: pause * (2 * generator.fraction()))
        let payload = (0..<max(0, bytes)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        try await transmit(from: radio, payload, on: channel)
      } catch {
        return
      }
    }
  }
}
