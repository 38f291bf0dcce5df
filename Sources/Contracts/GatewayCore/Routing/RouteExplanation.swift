public import CastWire

/// The handlers that would be asked about a message, in words: what `castway route explain` prints.
public struct RouteExplanation: Sendable, Hashable {
    /// The steps, a line each, in the order in which they are taken.
    public let lines: [String]

    /// Explains the chain of a namespace.
    /// - Parameters:
    ///   - type: a message type; nil explains for every type and names the restriction of each claim.
    ///   - notes: what there is to say of handlers besides, by their names.
    ///   - handlers: all registered handlers, for their places in the plan and for those that are off; nil leaves both out.
    public init(
        table: HandlerTable, settings: RouterSettings, device: DeviceFacts, namespace: Namespace, type: String?,
        direction: MessageDirection, notes: [String: String] = [:], handlers: [HandlerSummary]? = nil
    ) {
        if namespace.isTransport {
            self.lines = ["gateway   \(namespace) never reaches a handler; the gateway answers it itself"]
            return
        }
        let leg = device.leg
        let chain = table.chain(for: namespace, direction: direction, leg: leg)
        var lines: [String] = []
        let origins = handlers.map { Dictionary($0.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
        func describe(_ phase: RoutingPhase, _ entries: [HandlerTable.Entry]) {
            for entry in entries where Self.isPossible(entry.claim, type: type, device: device.name) {
                let deadline = settings.deadline(of: entry.claim)
                let policy = entry.claim.onFailure ?? settings.onFailure
                let obstacle = entry.handler.obstacle
                let isSkipped = obstacle != nil && (phase == .observe || policy == .open)
                var line =
                    "\(isSkipped ? "skipped" : phase.rawValue)".padded(to: 9) + " " + entry.handler.name.padded(to: 20)
                line += " claims \(entry.claim.pattern)"
                if let apps = entry.claim.apps {
                    line += ", app \(apps.map(\.rawValue).sorted().joined(separator: " "))"
                }
                if let types = entry.claim.types { line += ", types \(types.sorted().joined(separator: " "))" }
                if phase != .observe {
                    line += ", deadline \(deadline), on failure \(policy.rawValue)"
                }
                if let replaced = entry.claim.replaces { line += ", replaces \(replaced)" }
                if let origins { line += ", \(origins[entry.handler.name]?.origin ?? "default")" }
                if let note = notes[entry.handler.name] { line += " (\(note))" }
                if let obstacle { line += isSkipped ? ": \(obstacle)" : ": refuses the message, since \(obstacle)" }
                lines.append(line)
                for part in entry.handler.explanation(
                    of: namespace, type: type, device: device.name, leg: leg)
                {
                    lines.append("  rule".padded(to: 9) + " " + part.name.padded(to: 20) + " \(part.text)")
                }
            }
        }
        describe(.filter, chain.filters)
        if chain.isGuarded, let guardian = chain.guardian {
            for text in guardian.explanation(of: namespace, direction, device: device.name) {
                lines.append("guard".padded(to: 9) + " " + "castway".padded(to: 20) + " \(text)")
            }
        }
        describe(.handle, chain.candidates)
        let target =
            leg == .own ? "the app" : device.target.map { "device '\($0)'" } ?? "the built-in receiver"
        if direction == .toSender {
            let readers = leg == .own ? "the gateway's own session" : "the senders that it is addressed to"
            lines.append("default   to \(readers)")
        } else {
            lines.append("default   \(settings.defaultAction == .forward ? "forward to \(target)" : "reject")")
        }
        describe(.observe, chain.observers)
        for handler in handlers ?? [] where !handler.isEnabled {
            let isMeant = handler.claims.contains { claim in
                claim.leg == leg && claim.directions.contains(direction) && claim.pattern.matches(namespace)
                    && Self.isPossible(claim, type: type, device: device.name)
            }
            guard isMeant else { continue }
            let reason = handler.isListed ? handler.origin.map { "off, \($0)" } ?? "off" : "off, not in 'handlers'"
            lines.append("off".padded(to: 9) + " " + handler.name.padded(to: 20) + " \(reason)")
        }
        self.lines = lines
    }

    /// The steps for programs: of each line the first word is the phase, and the rest says who it is.
    public var steps: [(phase: String, text: String)] {
        self.lines.map { line in
            let words = line.split(separator: " ")
            return (words.first.map(String.init) ?? "", words.dropFirst().joined(separator: " "))
        }
    }

    private static func isPossible(_ claim: Claim, type: String?, device: String) -> Bool {
        if let devices = claim.devices, !devices.contains(device) { return false }
        guard let type, let types = claim.types else { return true }
        return types.contains(type)
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self.count >= width ? self : self + String(repeating: " ", count: width - self.count)
    }
}
