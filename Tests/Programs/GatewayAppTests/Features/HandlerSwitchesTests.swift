import CastIdentity
import CastwayTestSupport
import GatewayCore
import GatewayTesting
import Logging
import Testing

@testable import HandlerControl

/// Handlers that are switched by command: which command counts, what is kept, and what a reload ends.
@Suite(.timeLimit(.minutes(1))) struct HandlerSwitchesTests {
    private let registry = HandlerRegistry()
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
        try self.register(["media", "quiz", "launch-credentials", "channel urn:x-cast:a.b"])
    }

    private func register(_ names: [String]) throws {
        try self.registry.replaceAll(
            with: names.map { name in
                FunctionHandler(name, [Claim(.any, phase: .filter)]) { _, _ in .pass }
            })
    }

    /// Switches as a start of the gateway makes them, from what is on disk.
    private func start(obstacle: String? = nil, logger: Logger? = nil) throws -> HandlerSwitches {
        let identities = try IdentityStore.open(stateDirectory: self.folder.path, root: .generatedRoot)
        return try HandlerSwitches(
            registry: self.registry, store: try HandlerSwitchStore(identities.database), obstacle: obstacle,
            logger: logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func isOn(_ name: String) -> Bool? { self.registry.summaries.first { $0.name == name }?.isEnabled }

    /// What a plan says that lists every handler, some of them off.
    private func plan(off: Set<String> = []) -> HandlerPlan {
        HandlerPlan(
            entries: self.registry.summaries.map { summary in
                var entry = HandlerPlan.Entry(name: summary.name)
                entry.isEnabled = !off.contains(summary.name)
                return entry
            })
    }

    @Test func aCommandHoldsUntilTheGatewayEnds() throws {
        let switches = try self.start()
        let outcome = try #require(try switches.set(false, "media", isKept: false).first)
        #expect(outcome.isEnabled == false)
        #expect(outcome.isSwitched)
        #expect(outcome.kept == nil)
        #expect(self.isOn("media") == false)
        // The next start knows nothing of it.
        self.registry.setEnabled(nil, "media")
        try self.start().restore()
        #expect(self.isOn("media") == true)
    }

    @Test func whatIsKeptHoldsAfterAStartWhichWarnsOfIt() throws {
        _ = try self.start().set(false, "media", isKept: true)
        self.registry.setEnabled(nil, "media")
        let recorder = LogRecorder()
        let next = try self.start(logger: recorder.logger())
        next.restore()
        #expect(self.isOn("media") == false)
        #expect(recorder.entries.contains { $0.level == .warning && $0.message.contains("off by command, kept") })
        // A command of this run counts until its end.
        let outcome = try #require(try next.set(true, "media", isKept: false).first)
        #expect(outcome.isEnabled == true && outcome.kept == false)
        try self.start().restore()
        #expect(self.isOn("media") == false)
    }

    @Test func aResetForgetsBoth() throws {
        let switches = try self.start()
        _ = try switches.set(false, "media", isKept: true)
        let outcome = try #require(try switches.reset("media").first)
        #expect(outcome.isEnabled == true && outcome.kept == nil && !outcome.isSwitched)
        try self.start().restore()
        #expect(self.isOn("media") == true)
    }

    @Test func namesStandForAllThatBelongsToThem() throws {
        let switches = try self.start()
        #expect(try switches.set(false, "urn:x-cast:a.b", isKept: false).map(\.name) == ["channel urn:x-cast:a.b"])
    }

    @Test(arguments: [("medai", "media"), ("urn:x-cast:a.c", "urn:x-cast:a.b"), ("something-else", nil)])
    func unknownNamesAreRefused(_ name: String, suggestion: String?) throws {
        let switches = try self.start()
        do throws(HandlerSwitches.Refusal) {
            _ = try switches.set(false, name, isKept: true)
            Issue.record("'\(name)' was taken")
        } catch {
            guard case .unknown(let found) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(found == suggestion)
        }
        #expect(switches.kept.isEmpty)
    }

    @Test func whatCannotBeKeptChangesNothing() throws {
        let switches = try self.start(obstacle: "the disk takes no writing")
        #expect(throws: HandlerSwitches.Refusal.self) { try switches.set(false, "media", isKept: true) }
        #expect(self.isOn("media") == true)
        _ = try switches.set(false, "media", isKept: false)
        #expect(self.isOn("media") == false)
    }

    /// A reload ends a command only where the file says something else about on and off than before.
    @Test func aReloadEndsOnlyWhatItSpeaksAbout() throws {
        let switches = try self.start()
        try self.registry.follow(self.plan())
        _ = try switches.set(false, "media", isKept: true)
        _ = try switches.set(false, "quiz", isKept: false)

        var before = switches.configured
        try self.registry.follow(self.plan(off: ["launch-credentials"]))
        switches.follow(from: before)
        #expect(self.isOn("media") == false)
        #expect(self.isOn("quiz") == false)

        before = switches.configured
        try self.registry.follow(self.plan(off: ["media"]))
        switches.follow(from: before)
        #expect(switches.kept.isEmpty)
        before = switches.configured
        try self.registry.follow(self.plan())
        switches.follow(from: before)
        #expect(self.isOn("media") == true)
        #expect(self.isOn("quiz") == false)
    }

    /// The handler comes in the same table as the plan that names it for the first time.
    @Test func whatIsKeptHoldsForAHandlerThatAPlanBringsIn() throws {
        _ = try self.start().set(false, "quiz", isKept: true)
        let registry = HandlerRegistry()
        func handler(_ name: String) -> any MessageHandler {
            FunctionHandler(name, [Claim(.any, phase: .filter)]) { _, _ in .pass }
        }
        try registry.replaceAll(with: [handler("media")], following: HandlerPlan(entries: [.init(name: "media")]))
        let identities = try IdentityStore.open(stateDirectory: self.folder.path, root: .generatedRoot)
        let switches = try HandlerSwitches(
            registry: registry, store: try HandlerSwitchStore(identities.database), obstacle: nil,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        switches.restore()
        let before = switches.configured
        try registry.replace(
            ["media"], with: [handler("media"), handler("quiz")],
            following: HandlerPlan(entries: [.init(name: "media"), .init(name: "quiz")]))
        func isOn() -> Bool? { registry.summaries.first { $0.name == "quiz" }?.isEnabled }
        #expect(isOn() == false)
        switches.follow(from: before)
        #expect(isOn() == false)
        // Said of once more, and otherwise, it is as the file says.
        var off = HandlerPlan.Entry(name: "quiz")
        off.isEnabled = false
        for (plan, isExpected) in [([off], false), ([HandlerPlan.Entry(name: "quiz")], true)] {
            let before = switches.configured
            try registry.follow(HandlerPlan(entries: plan))
            switches.follow(from: before)
            #expect(isOn() == isExpected)
        }
        #expect(switches.kept.isEmpty)
    }

    @Test func aHandlerThatComesWithAReloadIsAsItWasCommanded() throws {
        let switches = try self.start()
        _ = try switches.set(false, "media", isKept: true)
        self.registry.setEnabled(nil, "media")
        try self.register(["rules"])
        switches.follow(from: ["media": true, "rules": true])
        // From the first message on, and not only when the reload is done.
        try self.register(["rules", "media"])
        #expect(self.isOn("media") == false)
        switches.follow(from: ["rules": true])
        #expect(self.isOn("media") == false)
    }
}
