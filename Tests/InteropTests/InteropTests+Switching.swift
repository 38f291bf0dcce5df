import CastWire
import Foundation
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import NamespaceHandlers
import Testing

extension InteropTests {
    /// A handler of the near gateway, and requests that reach it.
    enum Switched: String, CaseIterable {
        case media, receiver, launch, channel

        /// Its name among the handlers of a gateway.
        func name(in registry: HandlerRegistry) throws -> String {
            switch self {
            case .media, .receiver: return self.rawValue
            case .launch: return "launch-credentials"
            case .channel:
                return try #require(
                    registry.summaries.map(\.name).first { $0.contains(CounterHandler.namespace.rawValue) })
            }
        }
    }

    /// What is done to the handler.
    enum Switch: String, CaseIterable {
        case on, off, elsewhere, reordered
    }

    /// Takes credentials out of launches, so that it shows whether they were put in before or behind it.
    private struct CredentialsRemover: MessageHandler {
        let name = "remover"
        let claims = [Claim(.exact(.receiver), phase: .filter, types: ["LAUNCH"])]

        func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
            guard var request = ReceiverRequest(message.message.payload), request.credentials != nil else {
                return .pass
            }
            request.credentials = nil
            return .rewrite(request.payload)
        }
    }

    /// The order of changes; each state follows each other one.
    private static let changes: [Switch] = [
        .off, .on, .elsewhere, .on, .reordered, .off, .elsewhere, .reordered, .on, .off, .reordered, .elsewhere, .off,
        .on,
    ]

    @Test(
        "A handler is switched, limited and moved while requests flow, and each is answered once",
        arguments: Switched.allCases)
    func handlersAreSwitched(_ kind: Switched) async throws {
        let stage = try Stage()
        try await RunningGateway.with(stage.far()) { far in
            let probe = RequestProbe()
            try far.gateway.registry.register(probe)
            var near = stage.near(relayingTo: far.port(Stage.screen))
            near.channels.append(ChannelConfiguration(namespace: CounterHandler.namespace.rawValue, handler: .echo))
            near.launch.defaultCredentials = LaunchCredentials(credentials: Secret("who"))
            try await RunningGateway.with(near) { near in
                let registry = near.gateway.registry
                // Behind the gateway's own filters, unless a plan says otherwise.
                if kind == .launch { try registry.register(CredentialsRemover()) }
                let states = [Switch.reordered] + Self.changes
                try Self.put(kind, .reordered, in: registry)
                try await Driver.run(
                    "switching.py", senderPort: near.port(Stage.lobby), witnessPort: far.port(Stage.screen)
                ) { driver in
                    try driver.tell("\(kind.rawValue) \(Self.changes.count)")
                    _ = try await driver.succeed("playing")
                    for change in Self.changes {
                        _ = try await driver.next("calm")
                        try Self.put(kind, change, in: registry)
                        try driver.letGoOn()
                    }
                    let count = try await driver.next("counted").details(SwitchedRequests.self)
                    try Self.check(count, kind, states, probe)
                }
            }
        }
    }

    /// Does to the handler what a command or a reload does.
    private static func put(_ kind: Switched, _ change: Switch, in registry: HandlerRegistry) throws {
        let name = try kind.name(in: registry)
        var names = registry.summaries.map(\.name)
        // The remover stands in front of the credentials, so that they arrive; only `reordered` has it behind them.
        names.removeAll { $0 == "remover" }
        let place = names.firstIndex(of: "launch-credentials") ?? 0
        if kind == .launch { names.insert("remover", at: change == .reordered ? place + 1 : place) }
        if change == .reordered, kind != .launch {
            names.removeAll { $0 == name }
            names.append(name)
        }
        let plan = HandlerPlan(
            entries: names.map { other in
                var entry = HandlerPlan.Entry(name: other)
                if change == .elsewhere, other == name { entry.devices = ["another-device"] }
                return entry
            })
        try registry.follow(plan)
        registry.setEnabled(change == .off ? false : nil, name)
    }

    private static func check(
        _ count: SwitchedRequests, _ kind: Switched, _ states: [Switch], _ probe: RequestProbe
    ) throws {
        #expect(count.lost.isEmpty, "\(count.lost)")
        #expect(count.doubled.isEmpty, "\(count.doubled)")
        #expect(count.calms.count == states.count)
        #expect(count.isUntouched, "connection, session and app stay")
        let file = URL(filePath: count.answersFile)
        let answers = try JSONDecoder().decode([SwitchedRequests.Answer].self, from: Data(contentsOf: file))
        try FileManager.default.removeItem(at: file)
        #expect(answers.count == count.sent)
        guard kind != .channel else {
            for (index, state) in states.enumerated() {
                let types = Set(answers.filter { count.calm(index).contains($0.number) }.map(\.type))
                let isAsked = state == .on || state == .reordered
                // Without the channel the app is asked, which does not know the namespace.
                #expect(types == [isAsked ? "COUNT" : "INVALID_REQUEST"], "\(index): \(state)")
            }
            return
        }
        let sightings = probe.sightings
        let numbers = sightings.map(\.number)
        let isPassedOnce = numbers == Array(0..<count.sent)
        #expect(
            isPassedOnce,
            "every request reaches the device once, in order: \(numbers.count) of \(count.sent), \(numbers.prefix(60))")
        for (index, state) in states.enumerated() {
            let seen = sightings.filter { count.calm(index).contains($0.number) }
            let isAsked = state == .on || state == .reordered
            switch kind {
            case .media: #expect(seen.allSatisfy { $0.isMended == isAsked }, "\(index): \(state)")
            case .launch: #expect(seen.allSatisfy { $0.hasCredentials == (state == .on) }, "\(index): \(state)")
            case .receiver, .channel: break
            }
        }
    }
}
