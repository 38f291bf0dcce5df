import CastWire

extension SimulationOptions {
    /// The commands that are offered only when the file lists them: the player can always do them, but the default
    /// receiver does not say so.
    private static let quiet: SupportedMediaCommands = [
        .queueShuffle, .queueRepeatAll, .queueRepeatOne, .like, .dislike, .follow, .unfollow,
    ]

    /// The commands that senders are offered now.
    func offered(_ commands: SupportedMediaCommands) -> SupportedMediaCommands {
        guard let listed = self.listedCommands else { return commands }
        return commands.intersection(listed).union(listed.intersection(Self.quiet))
    }

    /// - Throws: INVALID_REQUEST with NOT_SUPPORTED for a request that takes a command which the file does not list.
    func checkSupported(_ request: PlayerRequest, _ type: MediaRequestType) throws(PlayerRefusal) {
        guard self.refusesOthers, let listed = self.listedCommands else { return }
        guard listed.isSuperset(of: Self.commands(of: request, type)) else { throw .invalid(.notSupported) }
    }

    /// The commands that a request takes; empty for one that every receiver takes.
    private static func commands(of request: PlayerRequest, _ type: MediaRequestType) -> SupportedMediaCommands {
        switch type {
        case .pause: .pause
        case .seek: .seek
        case .setVolume:
            SupportedMediaCommands(request.message.volume?.level == nil ? [] : [.streamVolume])
                .union(request.message.volume?.isMuted == nil ? [] : .streamMute)
        case .setPlaybackRate: .playbackRate
        case .editTracksInfo, .editAudioTracks: .editTracks
        case .queueNext: .queueNext
        case .queuePrevious: .queuePrevious
        case .queueShuffle: .queueShuffle
        case .queueUpdate: Self.commands(ofUpdate: request.message)
        case .skipAd: .skipAd
        case .userAction: Self.command(of: request.message.userAction)
        case .storeSession: .streamTransfer
        default: []
        }
    }

    private static func commands(ofUpdate message: MediaRequest) -> SupportedMediaCommands {
        var commands: SupportedMediaCommands = []
        if let jump = message.jump, jump != 0 { commands.insert(jump > 0 ? .queueNext : .queuePrevious) }
        if message.shuffles == true { commands.insert(.queueShuffle) }
        switch message.repeatMode {
        case .all?: commands.insert(.queueRepeatAll)
        case .allAndShuffle?: commands.formUnion([.queueRepeatAll, .queueShuffle])
        case .single?: commands.insert(.queueRepeatOne)
        default: break
        }
        return commands
    }

    private static func command(of action: UserAction?) -> SupportedMediaCommands {
        switch action {
        case .like?: .like
        case .dislike?: .dislike
        case .follow?: .follow
        case .unfollow?: .unfollow
        case .skipAd?: .skipAd
        default: []
        }
    }
}
