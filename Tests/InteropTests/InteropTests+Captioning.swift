import Testing

extension InteropTests {
    @Test("Subtitles are switched off and on and look different", arguments: Arrangement.allCases)
    func captioning(_ arrangement: Arrangement) async throws {
        try await arrangement.drive("captioning.py") { driver in
            let loaded = try await driver.succeed("loaded")
            loaded.expect(\.tracks, [7])
            loaded.expect(\.activeTracks, [7])
            let disabled = try await driver.succeed("disabled")
            disabled.expect(\.activeTracks, [])
            disabled.expect(\.tracks, [7])
            try await driver.succeed("enabled").expect(\.activeTracks, [7])
            let styled = try await driver.succeed("styled")
            styled.expect(\.textColor, "#FFEE00FF")
            styled.expect(\.activeTracks, [7])
            styled.expect(\.playerState, "PLAYING")
        }
    }
}
