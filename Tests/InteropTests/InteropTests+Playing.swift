import Testing

extension InteropTests {
    private struct LoadFailure: Decodable {
        let itemID: Int?
        let errorCode: Int?
        let currentItemID: Int?
    }

    @Test("A medium is loaded, controlled, stopped, and may fail", arguments: Arrangement.allCases)
    func playing(_ arrangement: Arrangement) async throws {
        try await arrangement.drive("playing.py") { driver in
            try await self.load(driver)
            try await self.control(driver)
            try await self.changeVolume(driver)

            let faster = try await driver.succeed("faster")
            faster.expect(\.rate, 1.5)
            faster.expect(\.playerState, "PLAYING")

            let stopped = try await driver.succeed("stopped")
            stopped.expect(\.playerState, "IDLE")
            stopped.expect(\.idleReason, "CANCELLED")
            stopped.expect(\.appID, "CC1AD845")

            let failed = try await driver.succeed("failed")
            failed.expect(\.playerState, "IDLE")
            failed.expect(\.idleReason, "ERROR")
            let failure = try failed.details(LoadFailure.self)
            #expect(failure.errorCode == 311)
            #expect(failure.itemID != nil)
            #expect(failure.itemID == failure.currentItemID)
        }
    }

    private func load(_ driver: Driver) async throws {
        let loaded = try await driver.succeed("loaded")
        loaded.expect(\.appID, "CC1AD845")
        loaded.expect(\.statusText, "Casting: One")
        loaded.expect(\.playerState, "PLAYING")
        loaded.expect(\.title, "One")
        loaded.expect(\.contentID, "http://192.0.2.1/one.mp4")
        loaded.expect(\.contentType, "video/mp4")
        loaded.expect(\.streamType, "BUFFERED")
        loaded.expect(\.duration, 300)
        loaded.expect(\.images, ["http://192.0.2.1/one.jpg"])
        loaded.expect(\.rate, 1)
        loaded.expect("what the player can do") {
            $0.supports(.pause, .seek, .streamVolume, .streamMute, .editTracks, .playbackRate)
                && !$0.supports(.queueNext) && !$0.supports(.queuePrevious)
        }
        let sender = try loaded.seen(by: "first")
        #expect(sender.mediaSessionID != nil)
        loaded.expect(\.mediaSessionID, sender.mediaSessionID)
    }

    private func control(_ driver: Driver) async throws {
        try await driver.succeed("paused").expect(\.playerState, "PAUSED")
        try await driver.succeed("resumed").expect(\.playerState, "PLAYING")

        let sought = try await driver.succeed("sought")
        sought.expect(\.playerState, "PLAYING")
        sought.expect("plays from 1:30") { (90..<120).contains($0.position ?? 0) }

        let soughtPaused = try await driver.succeed("soughtPaused")
        soughtPaused.expect(\.playerState, "PAUSED")
        soughtPaused.expect(\.position, 120)

        let soughtPlaying = try await driver.succeed("soughtPlaying")
        soughtPlaying.expect(\.playerState, "PLAYING")
        soughtPlaying.expect("plays from 0:30") { (30..<60).contains($0.position ?? 0) }
    }

    private func changeVolume(_ driver: Driver) async throws {
        let quieter = try await driver.succeed("deviceVolume")
        quieter.expect(\.volume, 0.3)
        quieter.expect(\.streamVolume, 1)
        try await driver.succeed("deviceMuted").expect(\.isMuted, true)
        let unmuted = try await driver.succeed("deviceUnmuted")
        unmuted.expect(\.isMuted, false)
        unmuted.expect(\.volume, 0.3)

        let stream = try await driver.succeed("streamVolume")
        stream.expect(\.streamVolume, 0.25)
        stream.expect(\.volume, 0.3)
        let streamMuted = try await driver.succeed("streamMuted")
        streamMuted.expect(\.isStreamMuted, true)
        streamMuted.expect(\.isMuted, false)
    }
}
