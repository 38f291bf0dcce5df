import CAvahi
import Glibc

/// The context of the events of one browsed type. Owned by the browser, and outlives Avahi's own object.
final class BrowseContext {
    unowned let browser: MulticastBrowser
    /// The subtype; nil for the plain type.
    let subtype: ServiceSubtype?
    private(set) var pointer: OpaquePointer?

    init(_ browser: MulticastBrowser, subtype: ServiceSubtype?) {
        self.browser = browser
        self.subtype = subtype
    }

    /// - Returns: false when the daemon refuses.
    func open(_ client: OpaquePointer) -> Bool {
        self.pointer = avahi_service_browser_new(
            client, AddressFamily.avahiUnspecified, AddressFamily.avahiUnspecified,
            self.subtype?.type ?? CastService.type, nil, AvahiLookupFlags(rawValue: 0),
            { _, interface, family, event, name, _, _, _, context in
                guard let context else { return }
                let browse = Unmanaged<BrowseContext>.fromOpaque(context).takeUnretainedValue()
                let key = name.flatMap { name in
                    AddressFamily(avahi: family).map {
                        ServiceSighting.Key(instance: String(cString: name), interface: interface, family: $0)
                    }
                }
                browse.browser.browsed(browse, event, key)
            }, Unmanaged.passUnretained(self).toOpaque())
        return self.pointer != nil
    }

    func close() {
        if let pointer { avahi_service_browser_free(pointer) }
        self.pointer = nil
    }

    /// Forgets Avahi's object, which went with its client.
    func forget() {
        self.pointer = nil
    }
}

/// The context of the events of one resolver. Owned by the browser, and outlives Avahi's own object.
final class ResolveContext {
    unowned let browser: MulticastBrowser
    let key: ServiceSighting.Key
    private var pointer: OpaquePointer?

    init(_ browser: MulticastBrowser, key: ServiceSighting.Key) {
        self.browser = browser
        self.key = key
    }

    /// Resolves in the family in which the instance was heard: the address of another may lead elsewhere (protocol
    /// notes, 9, quirk 32).
    /// - Returns: false when the daemon refuses.
    func open(_ client: OpaquePointer) -> Bool {
        self.pointer = avahi_service_resolver_new(
            client, self.key.interface, self.key.family.avahi, self.key.instance, CastService.type, "local",
            self.key.family.avahi, AvahiLookupFlags(rawValue: 0),
            { _, interface, _, event, _, _, _, host, address, port, txt, _, context in
                guard let context else { return }
                let resolve = Unmanaged<ResolveContext>.fromOpaque(context).takeUnretainedValue()
                guard event == AVAHI_RESOLVER_FOUND, let address else { return resolve.browser.resolved(resolve, nil) }
                let name = ResolveContext.interfaceName(interface)
                resolve.browser.resolved(
                    resolve,
                    BrowseTable.Resolution(
                        interfaceName: name, host: host.map { String(cString: $0) } ?? "",
                        address: ResolveContext.text(address, interface: name), port: Int(port),
                        txt: TXTEntry.entries(of: txt)))
            }, Unmanaged.passUnretained(self).toOpaque())
        return self.pointer != nil
    }

    func close() {
        if let pointer { avahi_service_resolver_free(pointer) }
        self.pointer = nil
    }

    /// Forgets Avahi's object, which went with its client.
    func forget() {
        self.pointer = nil
    }

    static func interfaceName(_ number: Int32) -> String {
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard number > 0, if_indextoname(UInt32(number), &name) != nil else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func text(_ address: UnsafePointer<AvahiAddress>, interface: String) -> String {
        var text = [CChar](repeating: 0, count: Int(AVAHI_ADDRESS_STR_MAX))
        guard avahi_address_snprint(&text, text.count, address) != nil else { return "" }
        let literal = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return literal.lowercased().hasPrefix("fe80:") && !interface.isEmpty ? "\(literal)%\(interface)" : literal
    }
}

extension AddressFamily {
    /// The number that stands for any family, as for any interface.
    static let avahiUnspecified: Int32 = -1

    init?(avahi number: AvahiProtocol) {
        switch number {
        case AvahiProtocol(AVAHI_PROTO_INET): self = .ipv4
        case AvahiProtocol(AVAHI_PROTO_INET6): self = .ipv6
        default: return nil
        }
    }

    var avahi: AvahiProtocol {
        switch self {
        case .ipv4: AvahiProtocol(AVAHI_PROTO_INET)
        case .ipv6: AvahiProtocol(AVAHI_PROTO_INET6)
        }
    }
}
