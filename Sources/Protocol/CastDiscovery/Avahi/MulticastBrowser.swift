import CAvahi
import NIOCore

/// Hears of Cast devices through Avahi: on every interface or on some, in IPv4 and in IPv6.
///
/// `@unchecked Sendable`: whatever changes is touched on the connection's thread only.
package final class MulticastBrowser: ServiceBrowser, AvahiConnectionUser, @unchecked Sendable {
    /// The daemon takes an object per browsed type.
    private static let maximumSubtypes = 32
    private static let restartPause = 1000
    /// The network is not asked twice within this time (RFC 6762, section 5.2).
    private static let questionSpacing = TimeAmount.seconds(1)

    private let connection: AvahiConnection
    private let interfaces: Set<String>
    private var sink: (@Sendable (BrowseEvent) -> Void)?
    private var client: OpaquePointer?
    private var table = BrowseTable()
    private var subtypes: Set<ServiceSubtype> = []
    private var browses: [ServiceSubtype?: BrowseContext] = [:]
    private var resolvers: [ServiceSighting.Key: ResolveContext] = [:]
    private var retries: [ServiceSighting.Key: AvahiTimer] = [:]
    private var restart: AvahiTimer?
    private var lastQuestion: NIODeadline?

    /// Prepares a browser.
    /// - Parameter interfaces: the names of the network interfaces to listen on; empty for all.
    package init(on connection: AvahiConnection, interfaces: [String] = []) {
        self.connection = connection
        self.interfaces = Set(interfaces)
    }

    // MARK: From anywhere

    /// Begins to hear, now or when the daemon comes.
    package func start(_ sink: @escaping @Sendable (BrowseEvent) -> Void) {
        self.connection.thread.perform { self.sink = sink }
        self.connection.add(self)
    }

    /// Asks for these subtypes too, at most 32, and no longer for others.
    package func ask(for subtypes: Set<ServiceSubtype>) {
        self.connection.thread.perform {
            self.subtypes = Set(subtypes.sorted { $0.label < $1.label }.prefix(Self.maximumSubtypes))
            self.browse()
        }
    }

    /// Asks the network at once, at most once a second; the daemon hears what devices answer.
    package func scan() {
        self.connection.thread.perform {
            let now = NIODeadline.now()
            guard self.client != nil, self.lastQuestion.map({ now - $0 >= Self.questionSpacing }) ?? true,
                let devices = try? System.enumerateDevices()
            else { return }
            self.lastQuestion = now
            let places = Set(devices.compactMap { ListeningPlace($0) })
            ServiceQuestion.ask(at: places.filter { self.isWanted($0.interfaceName) })
        }
    }

    package func stop() {
        self.connection.thread.perform {
            self.sink = nil
            self.connection.remove(self)
            for browse in self.browses.values { browse.close() }
            for resolver in self.resolvers.values { resolver.close() }
            self.forget()
        }
    }

    // MARK: The connection

    func connected(_ client: OpaquePointer, on thread: AvahiThread) {
        self.client = client
        self.browse()
        self.sink?(.browsing)
    }

    func running(_ client: OpaquePointer) {}

    func unnamed() {}

    func blocked(reason: String) {
        for browse in self.browses.values { browse.forget() }
        for resolver in self.resolvers.values { resolver.forget() }
        self.forget()
        self.sink?(.blocked(reason: reason))
    }

    private func forget() {
        self.client = nil
        self.table.clear()
        self.browses = [:]
        self.resolvers = [:]
        for timer in self.retries.values { timer.cancel() }
        self.retries = [:]
        self.restart?.cancel()
        self.restart = nil
    }

    /// Browses the plain type and the subtypes that are wanted, and nothing else.
    private func browse() {
        guard let client else { return }
        let wanted = Set([nil] + self.subtypes.map(Optional.some))
        for (subtype, browse) in self.browses where !wanted.contains(subtype) {
            browse.close()
            self.browses[subtype] = nil
            if let subtype { self.perform(self.table.forget(subtype)) }
        }
        for subtype in wanted where self.browses[subtype] == nil {
            let browse = BrowseContext(self, subtype: subtype)
            if browse.open(client) {
                self.browses[subtype] = browse
            } else {
                self.browseLater()
            }
        }
    }

    private func browseLater() {
        guard let api = self.connection.thread.api else { return }
        let timer = self.restart ?? AvahiTimer(api) { [unowned self] in self.browse() }
        self.restart = timer
        timer.schedule(milliseconds: Self.restartPause)
    }

    // MARK: Avahi's events

    func browsed(_ browse: BrowseContext, _ event: AvahiBrowserEvent, _ key: ServiceSighting.Key?) {
        guard self.browses[browse.subtype] === browse else { return }
        switch event {
        case AVAHI_BROWSER_NEW:
            guard let key, self.isWanted(ResolveContext.interfaceName(key.interface)) else { return }
            self.perform(self.table.appeared(key, as: browse.subtype))
        case AVAHI_BROWSER_REMOVE:
            if let key { self.perform(self.table.disappeared(key, from: browse.subtype)) }
        case AVAHI_BROWSER_ALL_FOR_NOW:
            if browse.subtype == nil { self.sink?(.settled) }
        case AVAHI_BROWSER_FAILURE:
            // Not in its own callback; what it listed stays until the new one has listed it again.
            self.browses[browse.subtype] = nil
            self.connection.thread.perform { [handle = BrowseHandle(context: browse)] in handle.context.close() }
            self.browseLater()
        default: break
        }
    }

    private func isWanted(_ interface: String) -> Bool {
        self.interfaces.isEmpty || self.interfaces.contains(interface)
    }

    func resolved(_ resolver: ResolveContext, _ resolution: BrowseTable.Resolution?) {
        guard self.resolvers[resolver.key] === resolver else { return }
        self.perform(resolution.map { self.table.resolved(resolver.key, $0) } ?? self.table.failed(resolver.key))
    }

    private func perform(_ actions: [BrowseTable.Action]) {
        for action in actions {
            switch action {
            case .resolve(let key): self.resolve(key)
            case .stopResolving(let key):
                self.retries.removeValue(forKey: key)?.cancel()
                guard let resolver = self.resolvers.removeValue(forKey: key) else { continue }
                // It may be the one that is calling.
                self.connection.thread.perform { [handle = ResolveHandle(context: resolver)] in handle.context.close() }
            case .resolveLater(let key, let milliseconds): self.resolve(key, in: milliseconds)
            case .tell(let event): self.sink?(event)
            }
        }
    }

    private func resolve(_ key: ServiceSighting.Key) {
        guard let client else { return }
        let resolver = ResolveContext(self, key: key)
        self.resolvers[key] = resolver
        if !resolver.open(client) { self.perform(self.table.failed(key)) }
    }

    private func resolve(_ key: ServiceSighting.Key, in milliseconds: Int) {
        guard let api = self.connection.thread.api else { return }
        let timer = AvahiTimer(api) { [unowned self] in
            self.connection.thread.perform {
                self.retries.removeValue(forKey: key)?.cancel()
                if self.table.mayResolve(key) { self.resolve(key) }
            }
        }
        self.retries[key] = timer
        timer.schedule(milliseconds: milliseconds)
    }
}

/// `@unchecked Sendable`: looked at on the Avahi thread only.
private struct BrowseHandle: @unchecked Sendable {
    let context: BrowseContext
}

/// `@unchecked Sendable`: looked at on the Avahi thread only.
private struct ResolveHandle: @unchecked Sendable {
    let context: ResolveContext
}
