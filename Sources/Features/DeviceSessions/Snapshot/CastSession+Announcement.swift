package import CastClient
package import CastWire
import NIOCore

extension CastSession {
    /// A snapshot of what plays in the session now, fit to be played again.
    ///
    /// The app is asked for the items of its queue that are not known.
    package func snapshot() async -> PlaybackSnapshot {
        let before = self.media.snapshot
        let queue = await MediaQueue.read(from: before) { command in try? await self.media.perform(command) }
        let status = try? await self.deviceStatus
        let now = self.media.snapshot
        return PlaybackSnapshot(
            now, queue: now.mediaSessionID == before.mediaSessionID ? queue : MediaQueue(), volume: status?.volume,
            at: self.media.now)
    }

    /// Plays something in between, then goes on with what played, where and as loud as it was.
    ///
    /// - Parameters:
    ///   - media: What to play; in the session's own app, which must be able to.
    ///   - level: How loud, from 0 to 1; nil leaves the volume.
    ///   - timeout: How long the announcement may last.
    /// - Returns: what became of it, with an honest list of what could not be brought back.
    package func announce(
        _ media: MediaInformation, level: Double? = nil, timeout: Duration = .seconds(120)
    ) async -> AnnouncementResult {
        let snapshot = await self.snapshot()
        var request = LoadRequest()
        request.media = media
        request.autoplay = true
        var machine = AnnouncementStateMachine(request, level: level, over: snapshot)
        var action = machine.begin()
        while true {
            switch action {
            case .setVolume(let volume):
                action = machine.volumeSet(
                    await self.failure { () async throws in
                        try await self.setVolume(volume.level ?? 0)
                    })
            case .load(let load):
                action = machine.loaded(
                    await self.failure { () async throws in
                        try await self.media.perform(.load(load))
                    })
            case .awaitEnd:
                action = machine.ended(await self.media.end(of: media, within: timeout))
            case .stop:
                action = machine.stopped(
                    await self.failure { () async throws in
                        try await self.media.perform(.stop())
                    })
            case .finish(let result):
                return result
            }
        }
    }

    private func failure(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return "\(error)"
        }
    }
}
