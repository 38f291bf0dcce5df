import NamespaceHandlers
import Testing

extension InteropTests {
    private struct Installation: Decodable {
        let version: String
        let changedFiles: [String]
    }

    private struct Refusal: Decodable {
        let reason: String?
    }

    @Test("A sender connects, asks, launches and quits apps", arguments: Arrangement.allCases)
    func launching(_ arrangement: Arrangement) async throws {
        try await arrangement.drive("launching.py") { driver in
            let connected = try await driver.succeed("connected")
            let installation = try connected.details(Installation.self)
            #expect(installation.version == "14.0.10")
            #expect(installation.changedFiles == [], "pychromecast is not as it was published")
            connected.expect(\.appID, nil)
            connected.expect(\.volume, 0.5)
            connected.expect(\.isMuted, false)

            let asked = try await driver.succeed("asked")
            #expect(
                try asked.details([String: String].self) == [
                    "CC1AD845": "APP_AVAILABLE", "ABCD1234": "APP_AVAILABLE", "DEADBEEF": "APP_UNAVAILABLE",
                ])

            let launched = try await driver.succeed("launched")
            launched.expect(\.appID, "CC1AD845")
            launched.expect(\.appName, "Default Media Receiver")
            launched.expect("speaks the media namespace") { $0.namespaces.contains("urn:x-cast:com.google.cast.media") }

            let refused = try await driver.next("refused")
            #expect(refused.failure == "RequestFailed")
            #expect(try refused.details(Refusal.self).reason == "NOT_FOUND")
            refused.expect(\.appID, "CC1AD845")

            let replaced = try await driver.succeed("replaced")
            replaced.expect(\.appID, "ABCD1234")
            replaced.expect(\.appName, "Quiz")
            replaced.expect("speaks the app's own namespaces") {
                $0.namespaces.contains(Stage.echo.namespace) && $0.namespaces.contains(Stage.board.namespace)
            }

            let quit = try await driver.succeed("quit")
            quit.expect(\.appID, nil)
            quit.expect(\.namespaces, [])
        }
    }
}
