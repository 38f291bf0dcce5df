import CastwayTestSupport
import FeatureContract
import Foundation
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
@preconcurrency import Glibc
import Logging
import NamespaceHandlers
import Testing

extension InteropTests {
    /// How the messages of `reloading.py` were answered.
    private struct Count: Decodable {
        struct Answer: Decodable {
            let number: Int
            let plugin: String?
            let version: String?
            let mood: Int?
            let process: Int?
            let sequence: Int?
            let granted: [String]?
        }

        let sent: Int
        let lost: [Int]
        let doubled: [Int]
        let unasked: [Int]
        let inOrder: [String: Bool]
        let answersFile: String
        let calms: [[Int]]
        let isUntouched: Bool
        let mediaRequests: Int
        let playerStates: [String]
        let mediaSessions: [Int]
    }

    /// Who has to answer: a plugin in one of its forms, or the device, of which nothing is known here.
    private struct Answerer: Hashable {
        var plugin: String?
        var version: String?
        var mood: Int?
    }

    private static let cycles = 7

    /// What the file says after each reload: the plugin comes, changes in every way, and goes.
    private static var reloads: [PluggedStage.Plugin?] {
        var version = 0
        var mood = 0
        return (0..<Self.cycles).flatMap { cycle -> [PluggedStage.Plugin?] in
            version += 1
            var plugin = PluggedStage.Plugin(version: version, mood: mood)
            var steps: [PluggedStage.Plugin?] = [plugin]
            func step(_ change: (inout PluggedStage.Plugin) -> Void) {
                change(&plugin)
                steps.append(plugin)
            }
            step { (plugin: inout PluggedStage.Plugin) in
                plugin.namespaces = [PluggedStage.first, PluggedStage.second]
                plugin.deadline = 8
                plugin.onFailure = "closed"
            }
            step { $0.version += 1 }
            step { $0.mood += 1 }
            step { $0.namespaces = [PluggedStage.second] }
            step { (plugin: inout PluggedStage.Plugin) in
                plugin.version += 1
                plugin.namespaces = [PluggedStage.first]
            }
            step { (plugin: inout PluggedStage.Plugin) in
                plugin.mood += 1
                plugin.deadline = 6
            }
            version = plugin.version
            mood = plugin.mood + 1
            return steps + [nil]
        }
    }

    @Test("Plugins come, change and go by reloads while messages flow, and each is answered once, by whom it has to be")
    func pluginsChangeByReloads() async throws {
        let echoes = [PluggedStage.first, PluggedStage.second].map {
            ChannelConfiguration(namespace: $0, handler: .echo)
        }
        let reloads = Self.reloads
        let far = try Stage()
        try await RunningGateway.with(far.far(channels: echoes)) { far in
            let stage = try PluggedStage(relayingTo: far.port(Stage.screen))
            let loaded = stage.source.load()
            let gateway = try await RunningGateway.sharingKeys {
                try await Gateway(
                    configuration: try #require(loaded.configuration, "\(loaded.report.text())"),
                    document: loaded.document, source: stage.source,
                    makeLogger: { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } })
            }
            let stops = gateway.events.subscribe { event in
                if case .plugin("counter", .stopped) = event { true } else { false }
            }
            try await RunningGateway.with(gateway) { near in
                try await Driver.run(
                    "reloading.py", senderPort: near.port(Stage.lobby), witnessPort: far.port(Stage.screen)
                ) { driver in
                    try await driver.succeed("playing").expect(\.title, "One")
                    var descriptors = 0
                    for (index, plugin) in reloads.enumerated() {
                        _ = try await driver.next("calm")
                        if index == 0 { descriptors = ProcessTable.openDescriptors }
                        try stage.write(plugin)
                        let plan = try await gateway.reload().get()
                        #expect(!plan.changes.isEmpty)
                        try driver.letGoOn()
                    }
                    let settled = try await driver.succeed("settled")
                    settled.expect(\.title, "One")
                    settled.expect(\.playerState, "PLAYING")
                    let count = try await driver.next("counted").details(Count.self)
                    try self.check(count, after: reloads, stage)

                    var ended = 0
                    for await _ in stops.events {
                        ended += 1
                        if ended == Self.cycles { break }
                    }
                    #expect(ProcessTable.openDescriptors <= descriptors)
                }
            }
            #expect(ProcessTable.processes(havingInEnvironment: stage.folder.path) == [])
        }
    }

    private func check(_ count: Count, after reloads: [PluggedStage.Plugin?], _ stage: PluggedStage) throws {
        #expect(reloads.count >= 50)
        #expect(count.sent >= 5000)
        #expect(count.lost.isEmpty, "\(count.lost.count)")
        #expect(count.doubled.isEmpty, "\(count.doubled.count)")
        #expect(count.unasked.isEmpty, "\(count.unasked.count)")
        let file = URL(filePath: count.answersFile)
        let answers = try JSONDecoder().decode([Count.Answer].self, from: Data(contentsOf: file))
        try FileManager.default.removeItem(at: file)
        #expect(answers.count == count.sent)
        #expect(count.inOrder == ["COUNT": true, "COUNTED": true])
        #expect(count.isUntouched, "connection, session and app stay")
        #expect(count.mediaRequests >= 100)
        #expect(Set(count.playerStates).isSubset(of: ["PLAYING", "PAUSED", "BUFFERING"]))
        #expect(count.mediaSessions.count == 1, "the same media plays on")

        // Before the first reload there is no plugin yet.
        let states = [nil] + reloads
        #expect(count.calms.count == states.count)
        var wrong: [String] = []
        for answer in answers {
            let who = Answerer(plugin: answer.plugin, version: answer.version, mood: answer.mood)
            let state = count.calms.lastIndex { $0[0] <= answer.number } ?? 0
            let isCalm = answer.number < count.calms[state][1]
            let namespace = answer.number % 2 == 0 ? PluggedStage.first : PluggedStage.second
            let due = (isCalm ? [states[state]] : [states[state], states[state + 1]]).map {
                Self.answerer($0, namespace)
            }
            if !due.contains(who) { wrong.append("\(answer) instead of \(due)") }
            if isCalm, answer.plugin == "counter", answer.granted != states[state]?.namespaces {
                wrong.append("\(answer) was not told its grant")
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5))")

        let handled = try stage.handled()
        let counted = answers.filter { $0.process != nil }
        // Long lists that differ take the test library minutes to show.
        let isHandledOnce = handled.numbers.sorted() == counted.map(\.number).sorted()
        #expect(isHandledOnce, "what plugins handle, they answer, once")
        #expect(handled.byProcess == Dictionary(grouping: counted) { $0.process ?? 0 }.mapValues(\.count))
        for (process, answers) in Dictionary(grouping: counted, by: { $0.process ?? 0 }) {
            let isInOrder = answers.compactMap(\.sequence) == Array(1...answers.count)
            #expect(isInOrder, "process \(process)")
        }
        // Three in each cycle: the first and two upgrades; everything else is taken in place.
        #expect(handled.byProcess.count == 3 * Self.cycles + 1)
        #expect(Set(counted.filter { $0.plugin == "behind" }.map(\.process)).count == 1)
    }

    private static func answerer(_ plugin: PluggedStage.Plugin?, _ namespace: String) -> Answerer {
        if let plugin, plugin.namespaces.contains(namespace) {
            return Answerer(plugin: "counter", version: "\(plugin.version)", mood: plugin.mood)
        }
        return namespace == PluggedStage.second ? Answerer(plugin: "behind", version: "0", mood: 0) : Answerer()
    }
}
