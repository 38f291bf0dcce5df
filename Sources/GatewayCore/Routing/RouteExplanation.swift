public import CastWire

/// The handlers that would be asked about a message, in words: what `castway route explain` prints.
public struct RouteExplanation: Sendable, Hashable {
    /// The steps, a line each, in the order in which they are taken.
    public let lines: [String]

    /// Explains the chain of a namespace.
    /// - Parameters:
    ///   - type: a message type; nil explains for every type and names the restriction of each claim.
    ///   - notes: what there is to say of handlers besides, by their names.
    public init(
        table: HandlerTable, settings: RouterSettings, device: DeviceFacts, namespace: Namespace, type: String?,
        direction: MessageDirection, notes: [String: String] = [:]
    ) {
        if namespace.isTransport {
            self.lines = ["gateway   \(namespace) never reaches a handler; the gateway answers it itself"]
            return
        }
        let chain = table.chain(for: namespace, direction: direction)
        var lines: [String] = []
        func describe(_ phase: RoutingPhase, _ entries: [HandlerTable.Entry]) {
            for entry in entries where Self.isPossible(entry, type: type, device: device.name) {
                let deadline = settings.deadline(of: entry.claim)
                var line = "\(phase.rawValue)".padded(to: 9) + " " + entry.handler.name.padded(to: 20)
                line += " claims \(entry.claim.pattern)"
                if let apps = entry.claim.apps {
                    line += ", app \(apps.map(\.rawValue).sorted().joined(separator: " "))"
                }
                if let types = entry.claim.types { line += ", types \(types.sorted().joined(separator: " "))" }
                if phase != .observe {
                    let policy = entry.claim.onFailure ?? settings.onFailure
                    line += ", deadline \(deadline), on failure \(policy.rawValue)"
                }
                if let note = notes[entry.handler.name] { line += " (\(note))" }
                lines.append(line)
                for part in entry.handler.explanation(of: namespace, type: type, device: device.name) {
                    lines.append("  rule".padded(to: 9) + " " + part.name.padded(to: 20) + " \(part.text)")
                }
            }
        }
        describe(.filter, chain.filters)
        describe(.handle, chain.candidates)
        let target = device.target.map { "device '\($0)'" } ?? "the built-in receiver"
        if direction == .toSender {
            lines.append("default   to the senders that it is addressed to")
        } else {
            lines.append("default   \(settings.defaultAction == .forward ? "forward to \(target)" : "reject")")
        }
        describe(.observe, chain.observers)
        self.lines = lines
    }

    private static func isPossible(_ entry: HandlerTable.Entry, type: String?, device: String) -> Bool {
        if let devices = entry.claim.devices, !devices.contains(device) { return false }
        guard let type, let types = entry.claim.types else { return true }
        return types.contains(type)
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self.count >= width ? self : self + String(repeating: " ", count: width - self.count)
    }
}
