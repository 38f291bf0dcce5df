public import CastWire

extension MediaCommand {
    /// Goes on playing.
    /// - Parameter position: where, in seconds; nil means where it is.
    public static func play(at position: Double? = nil) -> MediaCommand {
        if let position { return .seek(to: position, then: .start) }
        return MediaCommand(.play)
    }

    /// Pauses.
    /// - Parameter position: where, in seconds; nil means where it is.
    public static func pause(at position: Double? = nil) -> MediaCommand {
        if let position { return .seek(to: position, then: .pause) }
        return MediaCommand(.pause, needs: .pause)
    }

    /// Ends the media session; one that is over already has been stopped (protocol notes, quirk 18).
    public static func stop() -> MediaCommand { MediaCommand(.stop) }

    /// Goes to a position.
    /// - Parameters:
    ///   - position: Seconds from the start.
    ///   - resumeState: What it leaves behind; nil means what was before.
    public static func seek(to position: Double, then resumeState: ResumeState? = nil) -> MediaCommand {
        MediaCommand(.seek, needs: .seek) { request in
            request.currentTime = position
            request.resumeState = resumeState
        }
    }

    /// Goes forward, or backward below zero, from wherever the player is by then.
    public static func seek(by seconds: Double, then resumeState: ResumeState? = nil) -> MediaCommand {
        MediaCommand(.seek, needs: .seek) { request in
            request.relativeTime = seconds
            request.resumeState = resumeState
        }
    }

    /// Goes to the live edge, or to the end of what has one.
    public static func seekToEnd(then resumeState: ResumeState? = nil) -> MediaCommand {
        MediaCommand(.seek, form: .liveEdge, needs: .seek) { $0.resumeState = resumeState }
    }

    /// The slowest and the fastest rate that receivers take unless an app says otherwise.
    public static let usualPlaybackRates: ClosedRange<Double> = 0.5...2

    /// Plays faster or slower; 1 is normal.
    public static func setPlaybackRate(_ rate: Double) -> MediaCommand {
        MediaCommand(.setPlaybackRate, needs: .playbackRate) { $0.playbackRate = rate }
    }

    /// Multiplies the rate.
    public static func multiplyPlaybackRate(by factor: Double) -> MediaCommand {
        MediaCommand(.setPlaybackRate, needs: .playbackRate) { $0.relativePlaybackRate = factor }
    }

    /// Sets the volume of the stream, which is not the device's.
    /// - Parameter level: From 0 to 1.
    public static func setStreamVolume(_ level: Double) -> MediaCommand {
        MediaCommand(.setVolume, needs: .streamVolume) { request in
            var volume = MediaVolume()
            volume.level = level
            request.volume = volume
        }
    }

    /// Switches the sound of the stream off or on.
    public static func setStreamMuted(_ isMuted: Bool) -> MediaCommand {
        MediaCommand(.setVolume, needs: .streamMute) { request in
            var volume = MediaVolume()
            volume.isMuted = isMuted
            request.volume = volume
        }
    }

    /// Skips the clip of the break that plays.
    public static func skipAd() -> MediaCommand { MediaCommand(.skipAd, needs: .skipAd) }

    /// What a status may leave out.
    public struct StatusOmission: OptionSet, Hashable, Sendable {
        /// The bits as they stand on the wire.
        public let rawValue: Int

        /// Takes bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The metadata of the media.
        public static let metadata = StatusOmission(rawValue: 1)
        /// The items of the queue.
        public static let queueItems = StatusOmission(rawValue: 2)
    }

    /// Asks for the status.
    public static func refreshStatus(leavingOut omission: StatusOmission = []) -> MediaCommand {
        MediaCommand(.getStatus, session: .none) { request in
            if !omission.isEmpty { request.options = omission.rawValue }
        }
    }

    /// Tells what a viewer thinks.
    ///
    /// - Parameters:
    ///   - action: What.
    ///   - context: About what; nil leaves it out.
    ///   - clears: Whether an earlier action is taken back.
    public static func userAction(
        _ action: UserAction, about context: UserActionContext? = nil, clears: Bool? = nil
    ) -> MediaCommand {
        let needs: SupportedMediaCommands =
            switch action {
            case .like: .like
            case .dislike: .dislike
            case .follow: .follow
            case .unfollow: .unfollow
            default: []
            }
        return MediaCommand(.userAction, needs: needs) { request in
            request.userAction = action
            request.userActionContext = context
            request.clears = clears
        }
    }
}
