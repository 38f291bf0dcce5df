import CastDiscovery
import CastWire
import GatewayCore
import Logging
import NIOCore
import SystemPrimitives

/// Runs discovery on one event loop: browser in, list and addresses out.
final class DiscoveryCore {
    /// An active scan asks the network this often.
    private static let scanInterval = TimeAmount.seconds(10)
    /// More than a network should have news of in a minute; what comes beyond is not logged.
    private static let linesPerMinute = 120

    private struct Search {
        let id: String
        let promise: EventLoopPromise<DiscoveredDevice?>
        let timeout: Scheduled<Void>
    }

    /// A copy of the state that others read without waiting for the event loop.
    struct View: Sendable {
        var devices: [DiscoveredDevice] = []
        var state = DiscoveryState.stopped
        /// The devices that are heard and not listed, counted while none is listed.
        var hidden = HiddenDevices()
        /// The interfaces that are listened on; none means all.
        var interfaces: [String] = []
    }

    private let eventLoop: any EventLoop
    private let network: any MulticastNetwork
    private let book: any DeviceAddressRegistry
    private let events: EventBus
    private let logger: Logger
    private let publish: (View) -> Void
    private var settings: DiscoverySettings
    /// The devices that plugins name.
    private var provided: [StaticEntry] = []
    private var lifecycle = DiscoveryLifecycle()
    private var list: DeviceList
    private var bindings = TargetBindings()
    private var browser: (any ServiceBrowser)?
    /// True if devices that say nothing new are heard too.
    private let listens: Bool
    /// The end points where this process answers for other devices itself.
    private let ownEndpoints: OwnEndpoints
    private var listener: (any AnnouncementSource)?
    /// Tells what an earlier browser still had to say from what this one says.
    private var generation = 0
    private let timer: LoopTimer
    private var scanning: RepeatedTask?
    private var searches: [UInt64: Search] = [:]
    private var throttle = LogThrottle<String>(linesPerWindow: linesPerMinute)

    /// - Parameters:
    ///   - listens: whether the address book is told of devices that announce what is known already.
    ///   - ownEndpoints: what is announced there is not the device, whatever its id.
    ///   - publish: takes every new state of things; called on the event loop.
    init(
        settings: DiscoverySettings, network: any MulticastNetwork, book: any DeviceAddressRegistry, events: EventBus,
        listens: Bool, ownEndpoints: OwnEndpoints = OwnEndpoints(), times: DeviceList.Times = DeviceList.Times(),
        eventLoop: any EventLoop, logger: Logger, publish: @escaping (View) -> Void
    ) {
        self.settings = settings
        self.network = network
        self.book = book
        self.listens = listens
        self.ownEndpoints = ownEndpoints
        self.events = events
        self.list = DeviceList(times: times)
        self.eventLoop = eventLoop
        self.timer = LoopTimer(on: eventLoop)
        self.logger = logger
        self.publish = publish
        self.configure(settings)
    }

    // MARK: Commands

    func configure(_ new: DiscoverySettings) {
        let old = self.settings
        self.settings = new
        self.bindings.configure(new.targets.union(new.statics.map(\.name)))
        self.book.ask(for: new.filter.criteria.apps)
        self.listEntries()
        // A target may be new though the list is as it was.
        self.tellBook()
        if old.isEnabled, !new.isEnabled { self.stop() }
        if old.interfaces != new.interfaces, self.lifecycle.state.isActive {
            self.stop()
            self.start()
        } else if old.filter.criteria != new.filter.criteria {
            self.browser?.ask(for: new.filter.criteria.subtypes)
        }
        if !old.isEnabled, new.isEnabled { self.start() }
        self.pace()
    }

    /// Takes the devices that plugins name, in the place of those before.
    func provide(_ entries: [StaticEntry]) {
        self.provided = entries
        self.listEntries()
        self.tellBook()
    }

    /// Lists static entries: those of `gateway.yaml` come before those of plugins.
    private func listEntries() {
        let settings = self.settings
        let names = Set(settings.statics.map(\.name))
        let ids = Set(settings.statics.compactMap(\.id))
        let others = self.provided.filter { entry in
            !names.contains(entry.name) && entry.id.map { !ids.contains($0) } ?? true
        }
        self.apply(
            self.list.configure(
                statics: settings.statics + others, filter: settings.filter, ignored: settings.ignored))
    }

    /// Tells the address book of a device that no configuration names, or does so no more.
    func follow(_ device: String, _ isWanted: Bool) {
        self.bindings.follow(device, isWanted)
        self.tellBook()
    }

    func start() {
        self.perform(self.lifecycle.handle(.start))
    }

    func stop() {
        self.perform(self.lifecycle.handle(.stop))
    }

    var isPassive: Bool {
        get { self.settings.isPassive }
        set {
            self.settings.isPassive = newValue
            self.pace()
        }
    }

    func scan() {
        self.browser?.scan()
    }

    func note(app: AppID, on id: String, isAvailable: Bool) {
        self.apply(self.list.note(app: app, on: id, isAvailable: isAvailable))
    }

    func note(app: AppID, of device: String, isAvailable: Bool) {
        guard let id = self.bindings.id(of: device) ?? self.list.device(named: device)?.id else { return }
        self.note(app: app, on: id, isAvailable: isAvailable)
    }

    func set(attributes: [String: String?], of id: String) {
        self.apply(self.list.set(attributes: attributes, of: id))
    }

    // MARK: Searches

    func find(_ id: String, search: UInt64, within time: TimeAmount) -> EventLoopFuture<DiscoveredDevice?> {
        let promise = self.eventLoop.makePromise(of: DiscoveredDevice?.self)
        if let device = self.list.device(named: id) {
            promise.succeed(device)
            return promise.futureResult
        }
        let core = NIOLoopBound(self, eventLoop: self.eventLoop)
        let timeout = self.eventLoop.scheduleTask(in: time) { core.value.cancel(search) }
        self.searches[search] = Search(id: id, promise: promise, timeout: timeout)
        self.scan()
        return promise.futureResult
    }

    func cancel(_ search: UInt64) {
        guard let search = self.searches.removeValue(forKey: search) else { return }
        search.timeout.cancel()
        search.promise.succeed(nil)
    }

    private func answerSearches() {
        for (number, search) in self.searches {
            guard let device = self.list.device(named: search.id) else { continue }
            self.searches[number] = nil
            search.timeout.cancel()
            search.promise.succeed(device)
        }
    }

    // MARK: Lifecycle

    private func publishView() {
        let devices = self.list.devices
        self.publish(
            View(
                devices: devices, state: self.lifecycle.state,
                hidden: devices.isEmpty ? self.list.hidden : HiddenDevices(), interfaces: self.settings.interfaces))
    }

    private func perform(_ actions: [DiscoveryLifecycle.Action]) {
        self.publishView()
        for action in actions {
            switch action {
            case .open: self.open()
            case .close: self.close()
            case .tellStarted:
                self.logger.info("Searching for devices by mDNS")
                self.events.publish(.discoveryStarted(category: DeviceCategory.cast.rawValue))
            case .tellStopped:
                self.logger.info("Not searching for devices any more")
                self.events.publish(.discoveryStopped(category: DeviceCategory.cast.rawValue))
            case .tellBlocked(let reason):
                self.logger.notice(
                    "No mDNS: devices are neither found nor announced until it is there; those of discovery.static go on",
                    metadata: ["reason": "\(reason)"])
                self.events.publish(
                    .discoveryBlocked(category: DeviceCategory.cast.rawValue, reason: reason))
            }
        }
        self.pace()
    }

    private func open() {
        self.generation += 1
        let browser = self.network.makeBrowser(interfaces: self.settings.interfaces)
        self.browser = browser
        browser.ask(for: self.settings.filter.criteria.subtypes)
        let core = NIOLoopBound(self, eventLoop: self.eventLoop)
        let (generation, eventLoop) = (self.generation, self.eventLoop)
        browser.start { event in
            eventLoop.execute { core.value.handle(event, of: generation) }
        }
        guard self.listens else { return }
        self.listener = self.network.makeListener(interfaces: self.settings.interfaces, on: self.eventLoop)
        self.listener?.start { core.value.handle($0) }
    }

    private func close() {
        self.generation += 1
        self.browser?.stop()
        self.browser = nil
        self.listener?.stop()
        self.listener = nil
        self.apply(self.list.reset())
        for search in Array(self.searches.keys) { self.cancel(search) }
    }

    /// Asks the network now and then, when it is to be asked.
    private func pace() {
        let isScanning = self.lifecycle.state == .running && !self.settings.isPassive
        guard isScanning != (self.scanning != nil) else { return }
        self.scanning?.cancel()
        self.scanning = nil
        guard isScanning else { return }
        let core = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.scanning = self.eventLoop.scheduleRepeatedTask(
            initialDelay: Self.scanInterval, delay: Self.scanInterval
        ) { _ in core.value.scan() }
    }

    // MARK: What is heard

    func handle(_ event: BrowseEvent, of generation: Int) {
        guard generation == self.generation, self.browser != nil else { return }
        let event = self.recognized(event)
        switch event {
        case .browsing: self.perform(self.lifecycle.handle(.browsing))
        case .blocked(let reason): self.perform(self.lifecycle.handle(.blocked(reason: reason)))
        case .seen, .gone, .settled: break
        }
        var announced: String?
        if case .seen(let sighting) = event { announced = sighting.record.id.text }
        self.apply(self.list.handle(event, at: self.eventLoop.now), announced: announced)
    }

    /// Leaves out what this process announces itself under the id of another device: that is not where the device is.
    private func recognized(_ event: BrowseEvent) -> BrowseEvent {
        guard case .seen(let sighting) = event,
            self.ownEndpoints.contains(host: sighting.address, port: sighting.port)
        else { return event }
        // It may have been another's before.
        return .gone(sighting.key)
    }

    /// A device that was lost and is back is dialled now; it need not have anything new to say.
    private func handle(_ event: AnnouncementEvent) {
        switch event {
        case .blocked(let reason):
            self.logger.info(
                "Announcements are not listened to everywhere: a device that comes back unchanged is dialled a little later",
                metadata: ["reason": "\(reason)"])
        case .announced(let announcement):
            if let port = announcement.port, self.ownEndpoints.contains(host: announcement.address, port: port) {
                return
            }
            for id in self.list.ids(announcedAs: announcement.instance) {
                self.logger.trace("Device announced", metadata: ["id": "\(id)", "from": "\(announcement.address)"])
                let address = announcement.port.map { DeviceAddress(host: announcement.address, port: $0) }
                self.tell(self.bindings.announcement(of: id, at: address, in: self.list))
            }
        }
    }

    private func timePassed() {
        self.apply(self.list.timePassed(at: self.eventLoop.now))
    }

    private func apply(_ changes: [DeviceListChange], announced: String? = nil) {
        // Of a list without devices it is known what is not on it.
        if changes.isEmpty, self.list.devices.isEmpty { self.publishView() }
        if !changes.isEmpty {
            // A subscriber that hears of a change may read the list at once.
            self.publishView()
            for change in changes { self.tell(change) }
            self.answerSearches()
        }
        if !changes.isEmpty || announced != nil { self.tellBook(announced: announced) }
        self.schedule()
    }

    private func tellBook(announced: String? = nil) {
        self.tell(self.bindings.updates(from: self.list, announced: announced))
    }

    private func tell(_ updates: [TargetBindings.Update]) {
        for update in updates {
            self.book.note(identity: update.identity, of: update.target)
            self.book.note(showsVideo: update.showsVideo, of: update.target)
            self.book.update(device: update.target, candidates: update.candidates, isAnnounced: update.isAnnounced)
        }
    }

    private func schedule() {
        guard let deadline = self.list.nextDeadline else { return self.timer.cancel() }
        guard deadline != self.timer.deadline else { return }
        self.timer.set(until: deadline) { self.timePassed() }
    }

    private func tell(_ change: DeviceListChange) {
        switch change {
        case .inserted(let device, _): self.log("Device found", device)
        case .removed(let device, _): self.log("Device gone", device)
        case .updated, .willUpdate, .didUpdate: break
        }
        guard self.events.hasSubscribers else { return }
        switch change {
        case .willUpdate: self.events.publish(.deviceListWillUpdate)
        case .inserted(let device, let index): self.events.publish(.deviceInserted(device: device.json, index: index))
        case .updated(let device, let index, let newIndex):
            self.events.publish(.deviceUpdated(device: device.json, index: index, newIndex: newIndex))
        case .removed(let device, let index): self.events.publish(.deviceRemoved(device: device.json, index: index))
        case .didUpdate(let count): self.events.publish(.deviceListDidUpdate(count: count))
        }
    }

    private func log(_ text: Logger.Message, _ device: DiscoveredDevice) {
        guard device.isAnnounced || device.record != nil else { return }
        var metadata: Logger.Metadata = ["id": "\(device.id)", "name": "\(device.friendlyName)"]
        if let address = device.addresses.first { metadata["address"] = "\(address)" }
        let level = self.throttle.level(.info, for: "devices", at: self.eventLoop.now, metadata: &metadata)
        self.logger.log(level: level, text, metadata: metadata)
    }
}
