import CAvahi

/// What Avahi hands back with the events of one browsed type. Owned by the browser, and outlives Avahi's own object.
final class BrowseContext {
    unowned let browser: MulticastBrowser
    /// The subtype; nil for the plain type.
    let subtype: ServiceSubtype?
    /// Whether it only makes the daemon ask the network again.
    let isProbe: Bool
    private(set) var pointer: OpaquePointer?

    init(_ browser: MulticastBrowser, subtype: ServiceSubtype?, isProbe: Bool = false) {
        self.browser = browser
        self.subtype = subtype
        self.isProbe = isProbe
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

    /// Avahi's object went with its client.
    func forget() {
        self.pointer = nil
    }
}
