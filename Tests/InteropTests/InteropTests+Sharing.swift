import Testing

extension InteropTests {
    @Test("Two senders and a witness see each other's changes", arguments: Arrangement.allCases)
    func sharing(_ arrangement: Arrangement) async throws {
        try await arrangement.drive("sharing.py") { driver in
            let launched = try await driver.succeed("firstLaunched")
            #expect(launched.sightings.keys.sorted() == ["first", "second", "witness"])
            launched.expect(\.appID, "CC1AD845")

            let loaded = try await driver.succeed("secondLoaded")
            loaded.expect(\.title, "One")
            loaded.expect(\.mediaSessionID, try loaded.seen(by: "second").mediaSessionID)
            try await driver.succeed("firstPaused").expect(\.playerState, "PAUSED")
            try await driver.succeed("secondResumed").expect(\.playerState, "PLAYING")
            try await driver.succeed("firstTurnedDown").expect(\.volume, 0.2)
            try await driver.succeed("secondMuted").expect(\.isMuted, true)
            try await driver.succeed("witnessPaused").expect(\.playerState, "PAUSED")

            let left = try await driver.succeed("firstLeft")
            #expect(left.sightings.keys.sorted() == ["second", "witness"])
            left.expect(\.appID, "CC1AD845")
            left.expect(\.playerState, "PAUSED")
            try await driver.succeed("secondResumedAlone").expect(\.playerState, "PLAYING")
            let stopped = try await driver.succeed("secondStopped")
            stopped.expect(\.playerState, "IDLE")
            stopped.expect(\.idleReason, "CANCELLED")
            try await driver.succeed("secondQuit").expect(\.appID, nil)
        }
    }
}
