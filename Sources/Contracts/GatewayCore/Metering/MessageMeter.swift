import CastWire
import GatewayMetrics
import NIOCore

/// Counts the messages of one router, on its event loop: plain numbers, which a scrape fetches from there.
///
/// Messages mostly come in runs of one namespace, so the numbers of the last one are kept at hand. The namespaces that are told
/// apart are those that handlers claim: whatever peers invent counts as `other`.
final class MessageMeter {
    /// The numbers of one namespace and way.
    private final class Slot {
        let way: MessageCounts.Way
        let namespace: String
        /// The names of the last message that was looked up.
        var names: MessageNames
        var bytes = 0
        var forwarded = 0
        /// All dispositions but ``forwarded``, by their place in the enumeration.
        var others = Array(repeating: 0, count: MessageCounts.Disposition.allCases.count)

        init(_ way: MessageCounts.Way, _ namespace: String, _ names: MessageNames) {
            self.way = way
            self.namespace = namespace
            self.names = names
        }
    }

    private struct SlotKey: Hashable {
        let way: MessageCounts.Way
        let namespace: String
    }

    /// What counts for a namespace that no handler claims.
    private static let other = "other"
    /// How many claims are told apart in the meter's life; reloads may bring ever new ones.
    private static let maximumLabels = 512
    /// How many namespaces are kept in mind, and how long they may be.
    private static let maximumNames = 256
    private static let maximumNameLength = 128

    /// The device.
    let device: String
    private let leg: MessageLeg
    private let registry: HandlerRegistry
    private var version: UInt64?
    private var table = HandlerTable.empty
    private var slots: [SlotKey: Slot] = [:]
    private var labels: Set<String> = [MessageMeter.other]
    private var labelsByName: [Namespace: String] = [:]
    private var recentToReceiver: Slot?
    private var recentToSender: Slot?
    private var rest = MessageCounts()

    init(device: String, leg: MessageLeg, registry: HandlerRegistry) {
        self.device = device
        self.leg = leg
        self.registry = registry
    }

    /// Everything until now.
    var counts: MessageCounts {
        var counts = self.rest
        for slot in self.slots.values {
            counts.bytes[slot.way, default: 0] += slot.bytes
            for (disposition, count) in zip(MessageCounts.Disposition.allCases, slot.others) {
                let all = disposition == .forwarded ? slot.forwarded : count
                guard all > 0 else { continue }
                counts.messages[.init(way: slot.way, namespace: slot.namespace, disposition: disposition)] = all
            }
        }
        return counts
    }

    // MARK: Messages

    /// Counts a message that goes on without having been wrapped: from a sender, or from what stands behind the device.
    func forwarded(_ message: CastMessage, _ direction: MessageDirection) {
        let slot = self.slot(message.names, direction)
        slot.forwarded &+= 1
        slot.bytes &+= message.payload.bytes.readableBytes
    }

    /// Counts a message that was decided about.
    func count(_ routed: RoutedMessage, _ disposition: MessageCounts.Disposition) {
        let isInternal =
            routed.origin != nil && (routed.direction == .toReceiver || routed.connection == nil)
            && self.leg == .sender
        let slot =
            isInternal
            ? self.slot(routed.message.names, .init(leg: .internal, direction: routed.direction))
            : self.slot(routed.message.names, routed.direction)
        slot.bytes &+= routed.message.payload.bytes.readableBytes
        if disposition == .forwarded {
            slot.forwarded &+= 1
        } else if let index = MessageCounts.Disposition.allCases.firstIndex(of: disposition) {
            slot.others[index] += 1
        }
    }

    /// Counts a message that could not wait in its flow.
    func flowFull() {
        self.rest.flowsFull += 1
    }

    /// Counts the messages of a flow that is given up: the one that is held, and those behind it.
    func flowClosed(_ flow: HeldFlow) {
        if let held = flow.held?.routed { self.count(held, .abandoned) }
        for message in flow.waiting { self.count(message, .abandoned) }
        self.rest.flowsClosed += flow.waiting.count
    }

    // MARK: Handlers

    /// Takes how long a handler took.
    func decided(in phase: RoutingPhase, after time: TimeAmount) {
        self.rest.durations[phase, default: HistogramCounts()].observe(nanoseconds: time.nanoseconds)
    }

    /// Counts a call that failed.
    func failed() {
        self.rest.failures += 1
    }

    /// Counts a call that was not made.
    func suspended(_ entry: HandlerTable.Entry) {
        self.rest.suspended[.init(handler: entry.handler.name, phase: entry.claim.phase), default: 0] += 1
    }

    // MARK: Finding the numbers

    /// The numbers of a message that did not come from inside.
    private func slot(_ names: MessageNames, _ direction: MessageDirection) -> Slot {
        // As for the router's chains: asked before the table, so a change in between is noticed at the next message.
        let version = self.registry.version
        if self.version != version { self.follow(version) }
        let recent = direction == .toReceiver ? self.recentToReceiver : self.recentToSender
        if let recent, recent.names === names || recent.names.namespace == names.namespace { return recent }
        let leg: MessageCounts.Leg = self.leg == .own ? .own : direction == .toReceiver ? .north : .south
        let slot = self.slot(names, .init(leg: leg, direction: direction))
        slot.names = names
        switch direction {
        case .toReceiver: self.recentToReceiver = slot
        case .toSender: self.recentToSender = slot
        }
        return slot
    }

    private func slot(_ names: MessageNames, _ way: MessageCounts.Way) -> Slot {
        if self.version != self.registry.version { self.follow(self.registry.version) }
        let key = SlotKey(way: way, namespace: self.label(of: names.namespace))
        if let slot = self.slots[key] { return slot }
        let slot = Slot(way, key.namespace, names)
        self.slots[key] = slot
        return slot
    }

    private func follow(_ version: UInt64) {
        self.version = version
        self.table = self.registry.table
        self.labelsByName.removeAll(keepingCapacity: true)
        self.recentToReceiver = nil
        self.recentToSender = nil
    }

    private func label(of namespace: Namespace) -> String {
        guard namespace.rawValue.utf8.count <= Self.maximumNameLength else { return self.findLabel(of: namespace) }
        if let label = self.labelsByName[namespace] { return label }
        if self.labelsByName.count >= Self.maximumNames { self.labelsByName.removeAll(keepingCapacity: true) }
        let label = self.findLabel(of: namespace)
        self.labelsByName[namespace] = label
        return label
    }

    /// The most specific claim that means the namespace, as it is written; one on everything says nothing.
    private func findLabel(of namespace: Namespace) -> String {
        let patterns = self.table.entries.map(\.claim.pattern).filter { $0 != .any && $0.matches(namespace) }
        guard let label = patterns.max(by: { $0.specificity < $1.specificity })?.description else { return Self.other }
        guard !self.labels.contains(label) else { return label }
        guard self.labels.count < Self.maximumLabels else { return Self.other }
        self.labels.insert(label)
        return label
    }
}
