import CastWire
import GatewayCore
import Testing

extension InteropTests {
    /// The plugin replaces the media handler of all devices, of the one that is used, of another one, or of none.
    private static let replacing: [HandlerStage.Text] = [
        nil, "[media]", "[{handler: media, devices: [annex]}]", "[{handler: media, devices: [lobby]}]", nil,
        "[{handler: media, devices: [lobby], on_failure: closed}]", "[media, receiver]", "[setup]", "[media]", nil,
    ].map { HandlerStage.Text(replaces: $0) }

    @Test("A plugin comes in the place of the media handler and goes while requests flow, and each is answered once")
    func pluginsReplaceHandlersByReloads() async throws {
        try await HandlerStage.run("media", Self.replacing) { count, _, probe in
            let isPassedOnce = probe.sightings.map(\.number) == Array(0..<count.sent)
            #expect(isPassedOnce, "every request reaches the device once, in order")
            for (index, text) in Self.replacing.enumerated() {
                let seen = probe.sightings.filter { count.calm(index).contains($0.number) }
                let isReplaced = text.replaces.map { $0.contains("media") && !$0.contains("annex") } ?? false
                // What the plugin forwards, no other handler mends.
                #expect(seen.allSatisfy { $0.hasPassedPlugin == isReplaced }, "\(index): \(text)")
                #expect(seen.allSatisfy { $0.isMended != isReplaced }, "\(index): \(text)")
            }
        }
    }

    /// The list of handlers for each state of one of them.
    private static func list(_ kind: Switched, _ state: Switch) -> String? {
        let channel = "{use: channel, namespace: \"\(CounterHandler.namespace.rawValue)\"}"
        let own: [Switched: String] = [
            .media: "{use: media}", .receiver: "{use: receiver}", .launch: "{use: launch-credentials}",
            .channel: channel,
        ]
        var list = ["{use: launch-credentials}", "{use: receiver}", "{use: media}", "{use: multizone}", "{use: setup}"]
        list.append(channel)
        guard let entry = own[kind], let place = list.firstIndex(of: entry) else { return nil }
        switch state {
        case .on: return nil
        case .off: list[place] = entry.dropLast() + ", enabled: false}"
        case .elsewhere: list[place] = entry.dropLast() + ", devices: [annex]}"
        case .reordered:
            list.remove(at: place)
            list.append(entry)
        }
        return "[\(list.joined(separator: ", "))]"
    }

    private static let fileStates: [Switch] = [.on, .off, .reordered, .elsewhere, .on, .elsewhere, .off, .on]

    @Test(
        "Handlers are switched, limited and moved by reloads while requests flow, and each is answered once",
        arguments: Switched.allCases)
    func handlersAreSwitchedByReloads(_ kind: Switched) async throws {
        let texts = Self.fileStates.map { HandlerStage.Text(handlers: Self.list(kind, $0)) }
        try await HandlerStage.run(kind.rawValue, texts) { count, answers, probe in
            for (index, state) in Self.fileStates.enumerated() {
                let isAsked = state == .on || state == .reordered
                let seen = probe.sightings.filter { count.calm(index).contains($0.number) }
                switch kind {
                case .media: #expect(seen.allSatisfy { $0.isMended == isAsked }, "\(index): \(state)")
                case .launch: #expect(seen.allSatisfy { $0.hasCredentials == isAsked }, "\(index): \(state)")
                case .channel:
                    let types = Set(answers.filter { count.calm(index).contains($0.number) }.map(\.type))
                    #expect(types == [isAsked ? "COUNT" : "INVALID_REQUEST"], "\(index): \(state)")
                case .receiver: break
                }
            }
            guard kind != .channel else { return }
            let isPassedOnce = probe.sightings.map(\.number) == Array(0..<count.sent)
            #expect(isPassedOnce, "every request reaches the device once, in order")
        }
    }
}
