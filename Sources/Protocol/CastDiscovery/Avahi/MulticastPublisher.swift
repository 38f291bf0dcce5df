import CAvahi

/// Announces virtual devices through Avahi, and again whenever the daemon comes back.
///
/// `@unchecked Sendable`: whatever changes is touched on the connection's thread only.
package final class MulticastPublisher: ServicePublisher, AvahiConnectionUser, @unchecked Sendable {
    private struct Entry {
        var registration: Registration
        let group: EntryGroup
        let timer: AvahiTimer?
    }

    private let connection: AvahiConnection
    private var sink: (@Sendable (PublishEvent) -> Void)?
    private var client: OpaquePointer?
    private var isRunning = false
    private var entries: [String: Entry] = [:]

    package init(on connection: AvahiConnection) {
        self.connection = connection
    }

    // MARK: From anywhere

    /// Begins to announce, now or when the daemon comes.
    package func start(_ sink: @escaping @Sendable (PublishEvent) -> Void) {
        self.connection.thread.perform { self.sink = sink }
        self.connection.add(self)
    }

    /// Announces a service, or what has changed about it.
    package func publish(_ service: PublishedService, as key: String) {
        self.connection.thread.perform {
            if let entry = self.entries[key] { return self.handle(.changed(service), of: entry.group) }
            let group = EntryGroup(self, key: key)
            let timer = self.connection.thread.api.map { api in
                AvahiTimer(api) { [unowned self, unowned group] in self.handleLater(.timer, of: group) }
            }
            self.entries[key] = Entry(registration: Registration(service), group: group, timer: timer)
            if self.isRunning { self.handle(.running, of: group) }
        }
    }

    package func withdraw(_ key: String) {
        self.connection.thread.perform {
            guard let entry = self.entries.removeValue(forKey: key) else { return }
            entry.timer?.cancel()
            entry.group.withdraw()
        }
    }

    package func stop() {
        self.connection.thread.perform {
            self.sink = nil
            self.connection.remove(self)
            for entry in self.entries.values {
                entry.timer?.cancel()
                entry.group.withdraw()
            }
            self.entries = [:]
            self.client = nil
        }
    }

    // MARK: The connection

    func connected(_ client: OpaquePointer, on thread: AvahiThread) {
        self.client = client
    }

    func running(_ client: OpaquePointer) {
        self.client = client
        self.isRunning = true
        self.handleAll(.running)
    }

    func unnamed() {
        self.isRunning = false
        self.handleAll(.unnamed)
    }

    func blocked(reason: String) {
        self.client = nil
        self.isRunning = false
        for entry in self.entries.values { entry.group.forget() }
        self.handleAll(.blocked)
        self.sink?(.blocked(reason: reason))
    }

    // MARK: Registrations

    private func handleAll(_ event: Registration.Event) {
        for key in self.entries.keys.sorted() {
            if let group = self.entries[key]?.group { self.handle(event, of: group) }
        }
    }

    /// Behind the callback that is running: a group cannot be freed in its own.
    func handleLater(_ event: Registration.Event, of group: EntryGroup) {
        let key = group.key
        let id = ObjectIdentifier(group)
        self.connection.thread.perform {
            guard let group = self.entries[key]?.group, ObjectIdentifier(group) == id else { return }
            self.handle(event, of: group)
        }
    }

    func handle(_ event: Registration.Event, of group: EntryGroup) {
        guard var entry = self.entries[group.key], entry.group === group else { return }
        let actions = entry.registration.handle(event)
        self.entries[group.key] = entry
        for action in actions { self.perform(action, entry) }
    }

    private func perform(_ action: Registration.Action, _ entry: Entry) {
        let (group, service) = (entry.group, entry.registration.service)
        switch action {
        case .build(let instance):
            guard let client else { return }
            let code = group.build(service, instance: instance, client: client)
            if code != 0 { self.handleLater(self.event(of: code), of: group) }
        case .updateRecord:
            let code = group.update(service.record)
            if code != 0 { self.handleLater(.failure(reason: AvahiErrorText.text(code)), of: group) }
        case .answer(let subtypes):
            if let client { group.answer(to: subtypes, client: client) }
        case .withdraw: group.withdraw()
        case .retry(let milliseconds): entry.timer?.schedule(milliseconds: milliseconds)
        case .tell(let outcome): self.tell(outcome, key: group.key)
        }
    }

    /// Within one daemon a collision shows at once.
    private func event(of code: Int32) -> Registration.Event {
        Int(code) == AVAHI_ERR_COLLISION ? .collision : .failure(reason: AvahiErrorText.text(code))
    }

    private func tell(_ outcome: Registration.Outcome, key: String) {
        switch outcome {
        case .published(let instance): self.sink?(.published(key: key, instance: instance))
        case .renamed(let instance): self.sink?(.renamed(key: key, instance: instance))
        case .failed(let reason): self.sink?(.failed(key: key, reason: reason))
        }
    }
}
