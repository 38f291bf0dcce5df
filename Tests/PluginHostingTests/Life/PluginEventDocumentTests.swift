import CastWire
import Foundation
import GatewayCore
import Testing

@testable import PluginHosting

/// `Docs/plugin-protocol.md` lists every event that a plugin gets, with all that it carries.
@Suite struct PluginEventDocumentTests {
    /// One of each.
    private static let events: [GatewayEvent] = [
        .senderConnected(device: "hall", connection: ConnectionID(rawValue: 1), address: "192.0.2.1"),
        .senderDisconnected(device: "hall", connection: ConnectionID(rawValue: 1), reason: "left"),
        .sessionStarted(device: "hall", session: PluginBench.session),
        .sessionEnded(device: "hall", sessionID: "s-1", reason: "stopped"), .deviceOnline(target: "tv"),
        .deviceOffline(target: "tv", reason: "lost"), .channel(Self.channel, .connected),
        .channel(Self.channel, .writable), .channel(Self.channel, .disconnected(reason: "left")),
    ]

    private static let channel = AppChannel(
        owner: .sender(
            connection: ConnectionID(rawValue: 1), pair: VirtualConnection(local: "web-1", peer: "sender-0"),
            address: "192.0.2.1"), device: "hall", app: "ABCD1234", sessionID: "s-1",
        namespace: "urn:x-cast:com.example.quiz", isWritable: true)

    /// The members that the page names, by the event's type.
    private static func rows() throws -> [String: Set<String>] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs/plugin-protocol.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "### Observing, and events").last)
        let table = section.components(separatedBy: "\n## ")[0].split(separator: "\n").filter { $0.hasPrefix("| ") }
        var rows: [String: Set<String>] = [:]
        for line in table.dropFirst() {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let quoted = cells[2].components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }
            rows[cells[0].trimmingCharacters(in: ["`"])] = Set(quoted.map(\.element))
        }
        return rows
    }

    @Test func everyEventIsListed() throws {
        let rows = try Self.rows()
        for event in Self.events {
            #expect(event.isForPlugins)
            #expect(rows[event.name] == Set(event.pluginData.members.map(\.name)), "\(event.name)")
        }
        #expect(rows["message"] == ["message"])
        let custom = GatewayEvent.custom(name: "quiz.finished", data: [:])
        #expect(custom.isForPlugins)
        #expect(rows["any other"] == Set(custom.pluginData.members.map(\.name)))
        #expect(rows.count == Self.events.count + 2)
    }
}
