package import CastWire
import GatewayConfig
import GatewayCore
package import PluginKit

/// A grant, prepared to be checked for every message, request and effect.
///
/// The gateway's wire, transcripts and `plugin check` all judge by this type, so what a tool lets pass the gateway does too.
package struct PluginBounds: Sendable {
    package let grant: PluginGrant
    private let patterns: [MessageLeg: [NamespacePattern]]
    private let events: [Glob]
    private let operations: [Glob]

    package init(_ grant: PluginGrant) {
        self.grant = grant
        // Without `send` a plugin speaks only in verdicts, which observers do not give.
        let speaking = grant.namespaces.filter { grant.send != .none || $0.phase != .observe }
        self.patterns = Dictionary(grouping: speaking) { $0.leg ?? .sender }
            .mapValues { $0.compactMap { NamespacePattern($0.match) } }
        self.events = grant.events.map { Glob($0) }
        self.operations = grant.operations.map { Glob($0) }
    }

    /// True if the plugin may speak in a namespace: with `send` in each of its grant, whatever the phase; without it in those
    /// in which it decides.
    package func covers(_ namespace: Namespace, on leg: MessageLeg = .sender) -> Bool {
        namespace.isValid && !namespace.isTransport
            && self.patterns[leg, default: []].contains { $0.matches(namespace) }
    }

    /// True if the plugin may have an operation of the gateway done.
    package func allows(operation: String) -> Bool { self.operations.contains { $0.matches(operation) } }

    /// True if the plugin may provide something.
    package func provides(_ provision: PluginProvision) -> Bool { self.grant.provides.contains(provision.rawValue) }

    /// True if the plugin may emit an event.
    package func allows(event: String) -> Bool { self.events.contains { $0.matches(event) } }

    /// Returns true when the plugin is told of an event: one that is for plugins and, where it is about a device, on a device of
    /// the grant.
    func allows(_ event: GatewayEvent) -> Bool {
        let declaration = event.declaration
        return switch declaration.plugins {
        case .none: false
        case .all: true
        case .granted(let leg): self.allows(device: declaration.device ?? "", on: leg)
        }
    }

    /// True if the plugin may hear of a device: one of those that a claim on the leg names, or any when such a claim names none.
    package func allows(device: String, on leg: MessageLeg = .sender) -> Bool {
        if self.grant.namespaces.isEmpty { return leg == .sender }
        return self.grant.namespaces.contains { claim in
            (claim.leg ?? .sender) == leg && claim.devices.map { $0.contains(device) } ?? true
        }
    }

    /// True if anything is granted on the leg ``MessageLeg/own``.
    package var hasOwnLeg: Bool { self.grant.namespaces.contains { $0.leg == .own } }

    /// True if the plugin may keep anything.
    package var allowsStorage: Bool { self.grant.storage > 0 }
}

extension PluginBounds {
    /// The plugin's request, if it is granted, with the session filled in that it may mean.
    /// - Parameter heard: of what the plugin was given messages.
    package func admitted(_ call: PluginCall, heard: HeardPlaces) -> Result<PluginCall, NotGranted> {
        switch call {
        case .send(let message, let wait): return self.placed(message, heard).map { .send($0, wait: wait) }
        case .broadcast(let message): return self.placed(message, heard).map { .broadcast($0) }
        case .emit(let request):
            return self.allows(event: request.event)
                ? .success(call) : .failure(NotGranted("the event '\(request.event)'"))
        case .get, .put, .delete, .list:
            return self.allowsStorage ? .success(call) : .failure(NotGranted("a store (grant.storage)"))
        case .operation(let wanted):
            return self.allows(operation: wanted.operation)
                ? .success(call) : .failure(NotGranted("the operation '\(wanted.operation.cut(to: 64))'"))
        case .publish, .withdraw:
            return self.provides(.devices)
                ? .success(call) : .failure(NotGranted("to provide devices (grant.provides)"))
        case .query: return .success(call)
        }
    }

    /// The message with the session that it may go to.
    private func placed(_ message: OutgoingMessage, _ heard: HeardPlaces) -> Result<OutgoingMessage, NotGranted> {
        guard self.grant.send != .none else { return .failure(NotGranted("to send (grant.send)")) }
        let leg = message.leg ?? .sender
        guard self.covers(message.namespace, on: leg) else {
            let place = leg == .own ? " on the leg 'own'" : ""
            return .failure(NotGranted("the namespace '\(message.namespace)'\(place)"))
        }
        let device = message.device
        if leg == .own, !self.allows(device: device, on: .own) {
            return .failure(NotGranted("to send to '\(device)'"))
        }
        switch self.grant.send {
        case .any, .none: return .success(message)
        case .device:
            guard heard.contains(device: device, leg) else {
                return .failure(NotGranted("to send to '\(device)', of which it was given no message"))
            }
            return .success(message)
        case .sameSession:
            guard let known = heard.session(message.session, on: device, leg) else {
                return .failure(
                    NotGranted("to send to a session on '\(device)' of which it was given no message"))
            }
            var message = message
            message.session = known
            return .success(message)
        }
    }
}

extension PluginBounds {
    /// The reason an effect beside a verdict is refused; nil when it is granted.
    /// - Parameters:
    ///   - namespace: the namespace of the message that was decided about, in which every verdict may speak.
    ///   - leg: of that message.
    ///   - answersAll: whether the message came from a device to all its senders, so that its sender is everybody.
    package func refusal(
        of effect: Effect, in namespace: Namespace, on leg: MessageLeg = .sender, answersAll: Bool
    ) -> NotGranted? {
        switch effect {
        case .replyToSender(let other, _):
            if answersAll, self.grant.send == .none { return NotGranted("to send to others in the session") }
            return self.refusal(of: other, in: namespace, on: leg)
        case .broadcast(let other, _), .sendToReceiver(let other, _):
            guard self.grant.send != .none else { return NotGranted("to send to others in the session") }
            return self.refusal(of: other, in: namespace, on: leg)
        case .emit(let event, _, _): return self.allows(event: event) ? nil : NotGranted("the event '\(event)'")
        case .put, .delete: return self.allowsStorage ? nil : NotGranted("a store (grant.storage)")
        case .log: return nil
        }
    }

    private func refusal(of other: Namespace?, in namespace: Namespace, on leg: MessageLeg) -> NotGranted? {
        guard let other, other != namespace, !self.covers(other, on: leg) else { return nil }
        return NotGranted("the namespace '\(other)'")
    }
}

/// The sessions and devices of which a plugin was given a message, which bound where it may send. Bounded.
package struct HeardPlaces {
    private static let limit = 1024

    private var last: AppAddress?
    private var places: Set<AppAddress> = []
    private var latest: [AppAddress: String] = [:]

    package init() {}

    /// Takes note of where a message passed.
    package mutating func hear(device: String, leg: MessageLeg = .sender, session: String?) {
        // Messages come in runs.
        if let last, last.session == session, last.device == device, last.leg == leg { return }
        let place = AppAddress(device: device, leg: leg, session: session)
        self.last = place
        if self.places.count >= Self.limit {
            self.places = []
            self.latest = [:]
        }
        self.places.insert(place)
        if let session { self.latest[AppAddress(device: device, leg: leg)] = session }
    }

    /// True if a message of the device was given.
    func contains(device: String, _ leg: MessageLeg) -> Bool {
        self.places.contains { $0.device == device && $0.leg == leg }
    }

    /// The session that is meant and of which a message was given; without a session the latest one of the device.
    func session(_ session: String?, on device: String, _ leg: MessageLeg) -> String? {
        guard let session else { return self.latest[AppAddress(device: device, leg: leg)] }
        return self.places.contains(AppAddress(device: device, leg: leg, session: session)) ? session : nil
    }
}

/// Something that a plugin wants and its grant does not cover.
package struct NotGranted: Error, Hashable {
    /// The subject, such as `the namespace 'urn:x-cast:com.example.quiz'`.
    package let what: String

    init(_ what: String) { self.what = what }

    /// The error for the plugin.
    package var error: PluginRPCError { PluginRPCError(.notGranted, "not granted: \(self.what)") }
}
