import CAvahi
package import NIOCore

/// The connection to the Avahi daemon: outlives the daemon and the bus, and needs neither at the start.
///
/// One connection serves a browser and a publisher. Everything but what is marked otherwise happens on its own thread.
///
/// `@unchecked Sendable`: whatever changes is touched on that thread only.
package final class AvahiConnection: @unchecked Sendable {
    /// A user as which the daemon is reached.
    package typealias Owner = (user: UInt32, group: UInt32)

    let thread: AvahiThread
    private let owner: Owner?
    private var lifecycle = ConnectionLifecycle()
    private var client: OpaquePointer?
    private var users: [any AvahiConnectionUser] = []
    private var timer: AvahiTimer?
    private var blockedReason: String?
    private var isRunning = false

    /// Prepares a connection; nothing is connected before ``start()``.
    /// - Parameter owner: as whom the daemon is reached, which takes the rights of root; nil for the user of the process.
    /// - Returns: nil when the system has no descriptors or memory left.
    package init?(as owner: Owner? = nil) {
        guard let thread = AvahiThread() else { return nil }
        self.thread = thread
        self.owner = owner
    }

    /// Connects, now or when the daemon comes. Callable from anywhere, once.
    package func start() {
        self.thread.start()
        self.thread.perform {
            if let owner = self.owner, castway_act_as(owner.user, owner.group) != 0 {
                return self.perform(.tellBlocked(reason: "the rights to act as user \(owner.user) are missing"))
            }
            if let api = self.thread.api {
                self.timer = AvahiTimer(api) { [unowned self] in self.handle(.timer) }
            }
            self.handle(.start)
        }
    }

    /// Ends with everything that lives from it; the daemon says goodbye for what was announced.
    ///
    /// Waits for a daemon that hangs as long as D-Bus does.
    package func stop() async {
        self.thread.perform {
            self.handle(.stop)
            self.timer?.cancel()
            self.timer = nil
            self.users = []
        }
        await self.thread.stop()
    }

    /// Lets a part live from the connection. Callable from anywhere.
    func add(_ user: any AvahiConnectionUser & Sendable) {
        self.thread.perform {
            self.users.append(user)
            if let reason = self.blockedReason { return user.blocked(reason: reason) }
            guard let client = self.client, self.lifecycle.state != .opening else { return }
            user.connected(client, on: self.thread)
            if self.isRunning { user.running(client) }
        }
    }

    /// The part needs the connection no more; call it on the thread.
    func remove(_ user: any AvahiConnectionUser) {
        self.users.removeAll { $0 === user }
    }

    // MARK: Life

    private func handle(_ event: ConnectionLifecycle.Event) {
        for action in self.lifecycle.handle(event) { self.perform(action) }
    }

    private func perform(_ action: ConnectionLifecycle.Action) {
        switch action {
        case .open: self.open()
        case .discard: self.discard()
        case .wait(let milliseconds): self.timer?.schedule(milliseconds: milliseconds)
        case .tellConnected:
            self.blockedReason = nil
            guard let client else { return }
            for user in self.users { user.connected(client, on: self.thread) }
        case .tellRunning:
            self.isRunning = true
            guard let client else { return }
            for user in self.users { user.running(client) }
        case .tellUnnamed:
            self.isRunning = false
            for user in self.users { user.unnamed() }
        case .tellBlocked(let reason):
            self.blockedReason = reason
            self.isRunning = false
            for user in self.users { user.blocked(reason: reason) }
        }
    }

    private func open() {
        var error: Int32 = 0
        let context = Unmanaged.passUnretained(self).toOpaque()
        let client = avahi_client_new(
            self.thread.api, AVAHI_CLIENT_NO_FAIL,
            { client, state, context in
                guard let client, let context else { return }
                Unmanaged<AvahiConnection>.fromOpaque(context).takeUnretainedValue().changed(client, state)
            }, context, &error)
        if client == nil {
            self.client = nil
            self.handle(.notOpened(reason: AvahiErrorText.text(error)))
        }
    }

    /// The first call comes before the one that makes the client returns, so the client is known from here.
    private func changed(_ client: OpaquePointer, _ state: AvahiClientState) {
        // What a client says that was given up is of no interest.
        guard self.client == nil || self.client == client else { return }
        self.client = client
        switch state {
        case AVAHI_CLIENT_CONNECTING: self.handle(.daemonAbsent)
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION: self.handle(.daemonRegistering)
        case AVAHI_CLIENT_S_RUNNING: self.handle(.daemonRunning)
        default: self.handle(.failed(reason: AvahiErrorText.text(avahi_client_errno(client))))
        }
    }

    /// A client cannot be freed in its own callback, so it goes behind it.
    private func discard() {
        guard let client else { return }
        self.client = nil
        let handle = AvahiHandle(pointer: client)
        self.thread.perform { avahi_client_free(handle.pointer) }
    }
}

/// An object that lives from the connection to the Avahi daemon. Every call comes on the Avahi thread.
protocol AvahiConnectionUser: AnyObject {
    /// The daemon is there; what is made from the client works.
    func connected(_ client: OpaquePointer, on thread: AvahiThread)

    /// The host has a name, so announcements can be made.
    func running(_ client: OpaquePointer)

    /// The host is between two names: what was announced has to be withdrawn.
    func unnamed()

    /// Everything that was made from the client is gone, or soon will be: it must not be touched any more.
    func blocked(reason: String)
}

// The network as it is.
extension AvahiConnection: MulticastNetwork {
    package func makeBrowser(interfaces: [String]) -> any ServiceBrowser {
        MulticastBrowser(on: self, interfaces: interfaces)
    }

    package func makePublisher() -> any ServicePublisher {
        MulticastPublisher(on: self)
    }

    /// A listener beside the daemon, which does not tell of what it knows already.
    package func makeListener(interfaces: [String], on eventLoop: any EventLoop) -> (any AnnouncementSource)? {
        AnnouncementListener(interfaces: interfaces, eventLoop: eventLoop)
    }
}

/// A pointer of Avahi's on its way to the Avahi thread.
///
/// `@unchecked Sendable`: it is looked at on that thread only.
struct AvahiHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}

enum AvahiErrorText {
    static func text(_ code: Int32) -> String {
        switch Int(code) {
        case AVAHI_ERR_NO_DAEMON, AVAHI_ERR_DBUS_ERROR: "D-Bus or the Avahi daemon does not answer"
        case AVAHI_ERR_DISCONNECTED: "the Avahi daemon is gone"
        default: avahi_strerror(code).map { String(cString: $0) } ?? "Avahi error \(code)"
        }
    }
}
