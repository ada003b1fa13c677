import Weir

/// How one task listens: what it knows of the channels on which it starts frames.
///
/// Memory: ``mostChannels`` channels.
struct ChannelListener: Sendable {
  static let mostChannels = 64

  private var accesses: [RadioChannel: ChannelAccess] = [:]
  var generator = SystemRandomNumberGenerator()

  func access(_ channel: RadioChannel, _ options: ChannelAccess.Options) -> ChannelAccess {
    accesses[channel] ?? ChannelAccess(channel.modulation, options: options)
  }

  mutating func keep(_ access: ChannelAccess, of channel: RadioChannel) {
    if accesses[channel] == nil, accesses.count >= ChannelListener.mostChannels { accesses = [:] }
    accesses[channel] = access
  }
}

extension RadioFrameScheduler {
  /// Listens on a channel until it is free for a frame of a class; true at once where the scheduler does not listen.
  /// - Returns: false when the start is put off, or the task cancelled.
  func isFree(
    _ channel: RadioChannel, for frameClass: FrameClass, _ listener: inout ChannelListener
  ) async -> Bool {
    guard let listening else { return true }
    var access = listener.access(channel, listening)
    defer { listener.keep(access, of: channel) }
    let (use, own) = change { ($0.use.percent(at: clock.now), $0.state.options.channel) }
    // How much others use is known of the scheduler's own channel alone.
    var action = access.begin(frameClass, use: channel == own ? use : 0, &listener.generator)
    while !Task.isCancelled {
      switch action {
      case .wait(let time):
        guard (try? await clock.sleep(for: time)) != nil else { return false }
        action = access.waited()
      case .listen:
        do {
          let before = clock.now
          let isBusy = try await radio.isChannelBusy(channel)
          if isBusy {
            if channel == own { heardForeign(max(clock.now - before, channel.modulation.detectionTime)) }
            change { $0.state.count { $0.backoffs &+= 1 } }
          }
          action = access.heard(busy: isBusy, at: clock.now, &listener.generator)
        } catch let error as RadioError where error.kind == .badFrequency {
          // Sending fails for the same reason, and says so to whoever waits for the frame.
          return true
        } catch {
          await recover()
          return false
        }
      case .transmit: return true
      case .putOff:
        change { $0.state.count { $0.busyChannel &+= 1 } }
        return false
      case .recover:
        change { $0.state.count { $0.busyChannel &+= 1 } }
        await recover()
        return false
      }
    }
    return false
  }
}
