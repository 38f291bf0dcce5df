import CastWire
import Foundation
import GatewayCore
import PluginKit
import Testing

@testable import PluginHosting

/// `Docs/plugin-protocol.md` lists every event that a plugin gets, with all that it carries.
@Suite struct PluginEventDocumentTests {
    /// One of each.
    private static let events: [GatewayEvent] = [
        .senderConnected(device: "hall", connection: ConnectionID(rawValue: 1), address: "192.0.2.1"),
        .senderIntroduced(
            device: "hall", connection: ConnectionID(rawValue: 1), address: "192.0.2.1", facts: Self.facts),
        .senderDisconnected(device: "hall", connection: ConnectionID(rawValue: 1), reason: "left"),
        .receiverChanged(device: "hall", .volume(level: 0.5, muted: false)),
        .receiverChanged(device: "hall", .standby(true)), .receiverChanged(device: "hall", .visibility(true)),
        .receiverChanged(device: "hall", .maximumResolution(width: 1280, height: 720)),
        .receiverChanged(device: "hall", .feedback),
        .sessionStarted(device: "hall", session: PluginBench.session),
        .sessionEnded(device: "hall", sessionID: "s-1", reason: "stopped"), .deviceOnline(target: "tv"),
        .deviceOffline(target: "tv", reason: "lost"), .channel(Self.channel, .connected),
        .channel(Self.channel, .writable), .channel(Self.channel, .disconnected(reason: "left")),
        .castSession(Self.session, .didStart), .castSession(Self.session, .didResume(.network)),
        .castSession(Self.session, .appMetadata), .castSession(Self.session, .didSuspend(.networkError)),
        .castSession(Self.session, .didEnd(Self.failure)), .castSession(Self.session, .didFailToStart(Self.failure)),
        .castSession(Self.session, .didFailToResume(Self.failure)), .deviceInserted(device: Self.device, index: 0),
        .deviceUpdated(device: Self.device, index: 0, newIndex: 0), .deviceRemoved(device: Self.device, index: 0),
    ]

    private static var facts: SenderFacts {
        SenderFacts([
            .connect(
                userAgent: "Mozilla/5.0",
                senderInfo: SenderInfo(json: [
                    "sdkType": 2, "version": "156.0.0.0", "platform": 1, "systemVersion": "15", "connectionType": 1,
                    "model": "Pixel 9", "launchUrl": "https://example.com/app",
                ]))
        ])
    }

    private static let failure = SessionFailure(.applicationNotRunning, "the app is gone")
    private static let session = CastSessionFacts(
        number: 1, device: "wall", appID: "ABCD1234", state: .connected,
        app: ReceiverApplication(
            appID: "ABCD1234", displayName: "Quiz", sessionID: "s-1", transportID: "web-1",
            namespaces: ["urn:x-cast:com.example.quiz"]))
    private static let device: JSONObject = [
        "deviceId": "0123456789abcdef0123456789abcdef", "friendlyName": "Wall", "modelName": "TV",
    ]

    private static let channel = AppChannel(
        owner: .sender(
            connection: ConnectionID(rawValue: 1), pair: VirtualConnection(local: "web-1", peer: "sender-0"),
            address: "192.0.2.1"), device: "hall", app: "ABCD1234", sessionID: "s-1",
        namespace: "urn:x-cast:com.example.quiz", isWritable: true)

    /// The members that the page names, by the event's type.
    private static func rows() throws -> [String: Set<String>] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(
                path: "Docs/plugin-protocol.md")
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

    private static func isForPlugins(_ event: GatewayEvent) -> Bool {
        if case .none = event.declaration.plugins { false } else { true }
    }

    @Test func everyEventIsListed() throws {
        let rows = try Self.rows()
        for event in Self.events {
            #expect(Self.isForPlugins(event), "\(event.name)")
            #expect(rows[event.name] == Set(event.declaration.pluginData.members.map(\.name)), "\(event.name)")
        }
        #expect(rows["message"] == ["message"])
        let custom = GatewayEvent.custom(name: "quiz.finished", data: [:])
        #expect(Self.isForPlugins(custom))
        #expect(rows["any other"] == Set(custom.declaration.pluginData.members.map(\.name)))
        #expect(rows.count == Self.events.count + 2)
    }

    /// What happens on the other leg is told to plugins that are granted something there.
    @Test func eventsOfRealDevicesAreForTheLeg() {
        let sender = PluginBounds(PluginGrant(namespaces: [PluginClaim(match: "*", phase: .observe)]))
        let own = PluginBounds(
            PluginGrant(namespaces: [PluginClaim(match: "*", phase: .observe, leg: .own, devices: ["wall"])]))
        var legs: Set<MessageLeg> = []
        for event in Self.events {
            guard case .granted(let leg) = event.declaration.plugins else { continue }
            legs.insert(leg)
            #expect(sender.allows(event) == (leg == .sender))
            #expect(own.allows(event) == (leg == .own && event.declaration.device == "wall"))
        }
        #expect(legs == [.sender, .own] && own.hasOwnLeg && !sender.hasOwnLeg)
    }
}
