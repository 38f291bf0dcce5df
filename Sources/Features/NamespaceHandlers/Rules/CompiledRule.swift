import CastWire
import GatewayConfig
import GatewayCore
import NIOCore

/// A rule in the form in which messages are compared with it.
struct CompiledRule: Sendable {
    let rule: RoutingRule
    let type: NameList?
    let notType: NameList?
    let app: AppList?
    let notApp: AppList?
    let sender: RangeList?
    let notSender: RangeList?
    let senderName: NameList?
    let notSenderName: NameList?
    let from: [MessageSource]?
    let notFrom: [MessageSource]?
    /// The times at which the rule holds, and the clock that tells.
    let week: (clock: ZoneClock, during: [WeekTimes]?, notDuring: [WeekTimes]?)?
    let rewrite: PayloadRewrite?
    let volume: VolumeCeiling?
    let buckets: RateBuckets?
    /// The time apps may play.
    let play: TimeAmount?

    private let legs: Set<MessageLeg>
    private let namespace: [NamespacePattern]?
    private let notNamespace: [NamespacePattern]?
    private let device: NameList?
    private let notDevice: NameList?

    /// - Parameter clock: the clock of the rule's time zone.
    init(_ rule: RoutingRule, clock: @autoclosure () -> ZoneClock) {
        let condition = rule.condition
        self.rule = rule
        self.legs = condition.legs
        self.namespace = condition.namespace
        self.notNamespace = condition.notNamespace
        self.device = condition.device.map(NameList.init)
        self.notDevice = condition.notDevice.map(NameList.init)
        self.type = condition.type.map(NameList.init)
        self.notType = condition.notType.map(NameList.init)
        self.app = condition.app.map(AppList.init)
        self.notApp = condition.notApp.map(AppList.init)
        self.sender = condition.sender.map(RangeList.init)
        self.notSender = condition.notSender.map(RangeList.init)
        self.senderName = condition.senderName.map(NameList.init)
        self.notSenderName = condition.notSenderName.map(NameList.init)
        self.from = condition.from
        self.notFrom = condition.notFrom
        let hasTimes = condition.during != nil || condition.notDuring != nil
        self.week = hasTimes ? (clock(), condition.during, condition.notDuring) : nil
        self.rewrite = rule.action == .rewrite ? PayloadRewrite(set: rule.set ?? [], remove: rule.remove ?? []) : nil
        self.volume = rule.limit?.volume.map(VolumeCeiling.init)
        self.play = rule.limit?.play.map { TimeAmount($0) }
        self.buckets = rule.limit?.rate.map { RateBuckets($0) }
    }

    /// True if the rule could match messages of a namespace on a device of a leg.
    func concerns(_ namespace: Namespace, device: String, leg: MessageLeg = .sender) -> Bool {
        guard self.legs.contains(leg) else { return false }
        if let patterns = self.namespace, !patterns.contains(where: { $0.matches(namespace) }) { return false }
        if let patterns = self.notNamespace, patterns.contains(where: { $0.matches(namespace) }) { return false }
        if let names = self.device, !names.contains(device) { return false }
        if let names = self.notDevice, names.contains(device) { return false }
        return true
    }

    /// True if the rule could match messages of a type.
    func concerns(type: String) -> Bool {
        (self.type?.contains(type) ?? true) && !(self.notType?.contains(type) ?? false)
    }

    /// True if the rule limits a message again that another rule has rewritten since.
    var limitsAgain: Bool { self.volume != nil || self.play != nil }

    /// The types that the rule is about, when it names each of them; nil when other messages may match.
    var exactTypes: Set<String>? { self.type.flatMap { $0.patterns.isEmpty ? $0.exact : nil } }
}

/// Texts and patterns of which a text may be one.
struct NameList: Sendable {
    let exact: Set<String>
    let patterns: [Glob]

    init(_ names: [Glob]) {
        self.exact = Set(names.filter { !$0.hasWildcards }.map(\.pattern))
        self.patterns = names.filter(\.hasWildcards)
    }

    func contains(_ text: String) -> Bool {
        self.exact.contains(text) || self.patterns.contains { $0.matches(text) }
    }
}

/// Ids of apps. A rule that refuses takes an id in another spelling for the app's, since a device may; one that lets messages
/// through takes it as it is written.
struct AppList: Sendable {
    private let written: NameList
    private let bare: NameList

    init(_ apps: [Glob]) {
        self.written = NameList(apps)
        self.bare = NameList(apps.map { Glob(Self.bare($0.pattern, keeps: "*?")) })
    }

    /// True if one of an app's ids is listed exactly so.
    func containsExactly(_ ids: [AppID]) -> Bool { ids.contains { self.written.contains($0.rawValue) } }

    /// True if one of an app's ids is listed, if in another spelling.
    func containsLoosely(_ ids: [AppID]) -> Bool { ids.contains { self.bare.contains(Self.bare($0.rawValue)) } }

    /// An id without what readers overlook: letters in upper case, and digits.
    private static func bare(_ id: String, keeps kept: String = "") -> String {
        String(
            id.uppercased().unicodeScalars.filter {
                $0.properties.isAlphabetic || $0.properties.numericType != nil || kept.unicodeScalars.contains($0)
            })
    }
}

/// Ranges of addresses, compared as numbers.
struct RangeList: Sendable {
    private struct Range {
        let width: Int
        let base: UInt128
        let mask: UInt128
    }

    private let ranges: [Range]

    init(_ ranges: [AddressRange]) {
        self.ranges = ranges.map { range in
            let width = range.base.bitWidth
            let free = width - range.prefixLength
            // A shift by all bits gives 0.
            let mask = ((UInt128.max >> (128 - width)) >> free) << free
            return Range(width: width, base: SenderAddress.number(range.base), mask: mask)
        }
    }

    /// True if an address lies in one of them.
    func contains(_ address: SenderAddress) -> Bool {
        self.ranges.contains { $0.width == address.width && address.number & $0.mask == $0.base }
    }
}

struct SenderAddress: Sendable {
    /// 32 or 128.
    let width: Int
    let number: UInt128

    /// The address, or the /64 that an IPv6 address lies in.
    var block: UInt128 { self.width == 128 ? self.number >> 64 : self.number }

    /// Takes an address; an IPv4 address within an IPv6 one counts as IPv4.
    init(_ address: IPAddress) {
        let address = address.unmapped
        self.width = address.bitWidth
        self.number = Self.number(address)
    }

    /// The bytes of an address as they are, the first one highest.
    static func number(_ address: IPAddress) -> UInt128 { address.bytes.reduce(0) { $0 << 8 | UInt128($1) } }
}
