import CastWire
import GatewayConfig
import GatewayCore
import NIOCore

/// Events at the receiver itself, with no sender that asks for it. Senders hear of it by a status without a request.
extension ReceiverPlatform {
    /// The screen that a device is connected to.
    struct Screen: Hashable {
        var isActiveInput = true
        var isStandby = false
        /// The most pixels it shows; nil while nothing has been said of it.
        var resolution: Resolution?
    }

    struct Resolution: Hashable {
        var width: Int
        var height: Int
    }

    /// The jump of `rewind` and `fast_forward`, in seconds.
    private static let jump = 10.0

    mutating func simulate(_ event: SimulatedEvent, at now: NIODeadline) -> (SimulationOutcome, [Action]) {
        switch event {
        case .key(let key): return self.press(key, at: now)
        case .standby(let isStandby):
            let (outcome, actions) = self.change { screen in
                screen.isActiveInput = !isStandby
                screen.isStandby = isStandby
            }
            // Nothing runs on a screen that is off; senders hear first that it is.
            return isStandby && outcome == .done ? (.done, actions + self.endApp(.standby)) : (outcome, actions)
        case .activeInput(let isActive):
            return self.change { screen in
                screen.isActiveInput = isActive
                screen.isStandby = !isActive && screen.isStandby
            }
        case .maximumResolution(let width, let height):
            guard self.description.hasScreen else { return (.noScreen, []) }
            let resolution = Resolution(width: width, height: height)
            guard self.screen.resolution != resolution else { return (.done, []) }
            self.screen.resolution = resolution
            return (.done, [.tell(.maximumResolution(width: width, height: height))])
        case .feedback: return (.done, [.tell(.feedback)])
        case .statusText(let text):
            guard self.currentSession != nil else { return (.noApp, []) }
            return (.done, self.application?.setStatusText(text) == true ? [self.statusBroadcast] : [])
        case .fatalError:
            guard self.currentSession != nil else { return (.noApp, []) }
            return (.done, self.endApp(.failed))
        case .endOfItem:
            return self.play(at: now) { player, session in
                guard !session.isLoading else { return false }
                player.itemEnded(&session, at: now)
                return true
            }
        case .failure(let reason, let code):
            return self.play(at: now) { player, session in
                session.failure = SimulatedFailure(match: Glob("*")) { failure in
                    failure.reason = reason
                    failure.detailedErrorCode = code
                }
                player.failed(&session, at: now)
                return true
            }
        case .buffering(let time):
            return self.play(at: now) { player, session in
                guard session.wantsPlay, session.isReady else { return false }
                session.phase = .buffering(until: now.later(by: time))
                session.settle(at: now)
                player.broadcastStatus(session, at: now)
                return true
            }
        }
    }

    private mutating func change(_ change: (inout Screen) -> Void) -> (SimulationOutcome, [Action]) {
        guard self.description.hasScreen else { return (.noScreen, []) }
        let before = self.screen
        change(&self.screen)
        return (.done, before == self.screen ? [] : [self.statusBroadcast])
    }

    /// Ends the app that runs, and the launch of another; nothing when there is none.
    private mutating func endApp(_ reason: SessionEnd) -> [Action] {
        let cancelled = self.cancelLaunch()
        guard self.currentSession != nil else { return cancelled }
        return cancelled + self.stopApplication(reason) + [self.statusBroadcast]
    }

    /// Lets something happen to what is loaded.
    private mutating func play(
        at now: NIODeadline, _ change: (inout SimulatedPlayer, inout PlayerSession) -> Bool
    ) -> (SimulationOutcome, [Action]) {
        guard self.currentSession != nil else { return (.noApp, []) }
        guard let wanted = self.application?.player?.simulate(at: now, change) else { return (.noMedia, []) }
        let actions = self.perform(wanted, asker: nil)
        return (.done, actions + self.checkIdle(at: now))
    }

    // MARK: The remote control

    private mutating func press(_ key: RemoteKey, at now: NIODeadline) -> (SimulationOutcome, [Action]) {
        switch key {
        case .volumeUp:
            return self.turn(["level": .number(Double(self.volume.level).shortest + self.volume.payload.step)])
        case .volumeDown:
            return self.turn(["level": .number(Double(self.volume.level).shortest - self.volume.payload.step)])
        case .mute: return self.turn(["muted": .bool(!self.volume.isMuted)])
        case .home:
            return self.currentSession == nil ? (.noApp, []) : (.done, self.endApp(.stopped))
        case .play: return self.command(["type": "PLAY"], at: now)
        case .pause: return self.command(["type": "PAUSE"], at: now)
        case .playPause:
            let plays = self.application?.player?.session?.wantsPlay == true
            return self.command(["type": plays ? "PAUSE" : "PLAY"], at: now)
        case .stop: return self.command(["type": "STOP"], at: now)
        case .next: return self.command(["type": "QUEUE_NEXT"], at: now)
        case .previous: return self.command(["type": "QUEUE_PREV"], at: now)
        case .rewind: return self.command(["type": "SEEK", "relativeTime": .number(-Self.jump)], at: now)
        case .fastForward: return self.command(["type": "SEEK", "relativeTime": .number(Self.jump)], at: now)
        }
    }

    private mutating func turn(_ volume: JSONObject) -> (SimulationOutcome, [Action]) {
        (.done, self.changeVolume(volume) ?? [])
    }

    /// Does what the player does when a sender says this; without a number, nothing is answered.
    private mutating func command(_ command: JSONObject, at now: NIODeadline) -> (SimulationOutcome, [Action]) {
        guard self.currentSession != nil else { return (.noApp, []) }
        guard let session = self.application?.player?.session else { return (.noMedia, []) }
        var command = command
        command["mediaSessionId"] = .number(session.id)
        let wanted = self.application?.player?.handle(command, from: .platformReceiver, at: now) ?? []
        let actions = self.perform(wanted, asker: nil)
        return (wanted.isEmpty ? .noMedia : .done, actions + self.checkIdle(at: now))
    }
}

extension ReceiverVolume {
    /// The change by one press of a key.
    fileprivate var step: Double { self.stepInterval ?? 0.05 }
}
