import CastWire
import CastwayTestSupport
import Foundation
import GatewayConfig
import GatewayFixtures
import GatewaySettings
import Logging
import Testing
import VirtualDevices

/// `Docs/contributing/path-of-a-message.md` against a message that really goes that way.
@Suite struct PathOfAMessageTests {
    private struct Row {
        /// The path in the folder of a layer.
        let file: String
        let isLogged: Bool
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let article = Self.root.appending(path: "Docs/contributing/path-of-a-message.md")

    /// The rows of the tables under a heading.
    private static func rows(under heading: String) throws -> [Row] {
        let text = try String(contentsOf: Self.article, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix(heading) })
        return section.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count >= 5, Int(cells[1]) != nil else { return nil }
            return Row(file: cells[2].replacing("`", with: ""), isLogged: cells[4] == "trace")
        }
    }

    @Test func everyFileInTheArticleExists() throws {
        let rows = try ["There", "Back", "Without a socket"].flatMap { try Self.rows(under: $0) }
        #expect(rows.count >= 24)
        let text = try String(contentsOf: Self.article, encoding: .utf8)
        let others = text.matches(of: /`([A-Z]\w+\/[\w\/+]+\.swift)`/).map { String($0.output.1) }
        #expect(others.count >= rows.count)
        let sources = Self.root.appending(path: "Sources")
        let layers = try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)
        for file in rows.map(\.file) + others {
            let isThere = layers.contains {
                FileManager.default.fileExists(atPath: $0.appending(path: file).path)
            }
            #expect(isThere, "\(file) is not there")
        }
    }

    @Test(.timeLimit(.minutes(1))) func aPauseTakesTheWayThatTheArticleTells() async throws {
        let there = try Self.rows(under: "There").filter(\.isLogged).map { Self.logged($0.file) }
        let back = try Self.rows(under: "Back").filter(\.isLogged).map { Self.logged($0.file) }
        #expect(there.count >= 4 && back.count >= 3)
        let log = LogRecorder()
        try await RunningGateway.with(.bench) { far in
            let port = try #require(far.ports["bench"])
            let lobby = VirtualDeviceConfiguration(
                name: "lobby", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .device("bench"))
            var configuration = GatewayConfiguration { $0.virtualDevices = [lobby] }
            configuration.discovery.staticDevices = [
                StaticDevice(name: "bench", address: DialAddress(host: "127.0.0.1", port: port))
            ]
            try await RunningGateway.with(configuration, makeLogger: { log.logger($0) }) { near in
                try await Self.pauseThrough(try #require(near.ports["lobby"]), log: log, there: there, back: back)
            }
        }
    }

    private static func pauseThrough(_ port: Int, log: LogRecorder, there: [String], back: [String]) async throws {
        try await TestSender.connect(to: port) { sender in
            let transport = try await sender.launchAndLoad()
            let before = log.entries.count
            try await sender.send(
                ["type": "PAUSE", "requestId": 77, "mediaSessionId": 1], in: .media, to: transport)
            let answer = try #require(try await sender.answer(to: 77))
            #expect(answer.string("type") == "MEDIA_STATUS")
            // Up to the answer, nothing else travels between this sender and the device but the way there and back.
            let steps = log.entries.dropFirst(before).filter { $0.level == .trace }.map(\.file)
            #expect(Array(steps.prefix(there.count + back.count)) == there + back)
        }
    }

    private static func logged(_ file: String) -> String {
        let parts = file.split(separator: "/")
        return "\(parts[0])/\(parts[parts.count - 1])"
    }
}
