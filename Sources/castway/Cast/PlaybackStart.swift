import CastClient
import CastWire

/// Loads media and waits until they play: receivers answer a load while they are still buffering.
struct PlaybackStart: Sendable {
    /// What a status says of the start.
    enum Progress: Hashable, Sendable {
        case waiting
        case done
        case failed(String)
    }

    /// Whether the media are to be paused at their beginning.
    let isPaused: Bool
    /// How long the answer, and then the start, may take.
    let timeout: Duration

    /// Sends a load.
    /// - Returns: the device's own status once the media play.
    /// - Throws: ``CommandFailure`` when they do not; `RequestError` when the load is refused.
    func perform(_ command: MediaCommand, by media: MediaClient) async throws -> JSONObject {
        let events = media.events()
        let reply = try await media.perform(command)
        let session = media.snapshot.mediaSessionID
        switch self.progress(media.snapshot) {
        case .done: return reply
        case .failed(let reason): throw CommandFailure(.refused, reason)
        case .waiting: break
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.follow(events, of: media, session: session) }
            group.addTask {
                try await Task.sleep(for: self.timeout)
                let state = media.snapshot.playerState.rawValue.uppercased()
                throw CommandFailure(
                    .timedOut,
                    "the media is loaded, and still \(state) after \(CommandTimeout(self.timeout).defaultValueDescription)"
                )
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        return try await media.perform(.refreshStatus())
    }

    private func follow(_ events: AsyncStream<MediaEvent>, of client: MediaClient, session: Int?) async throws {
        for await event in events {
            var progress = self.progress(client.snapshot)
            switch event {
            case .availability(false): throw CommandFailure(.unreachable, "the app, or the device, is gone")
            case .error(let error): throw error
            // The status that told of it may be replaced already.
            case .sessionEnded(let ended, let reason) where ended == session: progress = Self.end(reason)
            default: break
            }
            switch progress {
            case .waiting: continue
            case .done: return
            case .failed(let reason): throw CommandFailure(.refused, reason)
            }
        }
        // Ended by the time that is over, which is thrown beside this.
        try Task.checkCancellation()
        throw CommandFailure(.unreachable, "the app, or the device, is gone")
    }

    /// What a status that came after the load says.
    func progress(_ snapshot: MediaSnapshot) -> Progress {
        switch snapshot.playerState {
        case .playing: return .done
        // Pictures never play; everything else goes through a pause only when it waits for a command.
        case .paused:
            return self.isPaused || snapshot.media?.contentType?.hasPrefix("image/") == true ? .done : .waiting
        case .idle: return Self.end(snapshot.idleReason)
        case .unknown, .loading, .buffering: return .waiting
        }
    }

    /// What the end of the media session comes to.
    private static func end(_ reason: IdleReason?) -> Progress {
        switch reason {
        // Shorter than the time between two statuses.
        case .finished?: .done
        case .error?: .failed("the device cannot play the media: IDLE, ERROR")
        case .cancelled?: .failed("playback was stopped before it began: IDLE, CANCELLED")
        case .interrupted?: .failed("another load came before playback began: IDLE, INTERRUPTED")
        default: .waiting
        }
    }
}
