import Testing

extension InteropTests {
    private struct Received: Decodable {
        let echoes: [String: [String]]
        let boards: [String: [String]]
    }

    @Test("Channels echo to their sender and repeat to everybody", arguments: Arrangement.allCases)
    func channels(_ arrangement: Arrangement) async throws {
        try await arrangement.drive("channels.py") { driver in
            try await driver.succeed("launched").expect(\.appID, "ABCD1234")
            let echoed = try await driver.succeed("echoed").details(Received.self)
            #expect(echoed.echoes == ["first": ["hello"], "second": ["I am here"]])
            let repeated = try await driver.succeed("repeated").details(Received.self)
            #expect(repeated.boards == ["first": ["news"], "second": ["news"]])
            #expect(repeated.echoes == echoed.echoes, "an echo is for its sender alone")
        }
    }
}
