public import CastWire
public import HandlerKit
public import NIOCore
import Synchronization

/// Which connections to apps there are, and which of their channels were told: the source of `channel.connected`,
/// `channel.disconnected` and `channel.writable`.
///
/// Connections are noted when they open, change and close, never when a message passes, so a message costs nothing more. Channels
/// are told in those namespaces alone that are followed: a channel of the configuration names them, a plugin handles them, or a reader of
/// events names them. When one
/// is followed that was not before, the channels that are connected in it are told then; what was told is always told to its
/// end. Events are published while the book is held, so that those of a channel come in their order from any thread.
///
/// Of each address 60 connections a minute are told at each device; those beyond are told when another namespace is followed, or not at all.
public final class AppChannelRegistry: Sendable {
    /// Where a channel is kept: the connection, and the pair of ends on it for a sender.
    private enum Key: Hashable {
        case sender(ConnectionID)
        case session(Int)
    }

    private struct Connection {
        let owner: AppChannel.Owner
        let device: String
        var app: AppID
        var sessionID: String
        var namespaces: [Namespace]
        /// Those that are told though nothing follows them.
        var opened: Set<Namespace> = []
        var isWritable: Bool
        var told: Set<Namespace> = []

        func channel(_ namespace: Namespace) -> AppChannel {
            AppChannel(
                owner: self.owner, device: self.device, app: self.app, sessionID: self.sessionID,
                namespace: namespace, isWritable: self.isWritable)
        }
    }

    private struct Source: Hashable {
        let device: String
        let address: String
    }

    private struct State {
        var connections: [Key: [AppChannel.Owner: Connection]] = [:]
        /// By what names them.
        var configured: [String: [NamespacePattern]] = [:]
        var recorded = RecordedNamespaces()
        var throttle = LogThrottle<Source>(linesPerWindow: AppChannelRegistry.connectionsPerMinute)
        var publish: @Sendable (GatewayEvent) -> Void = { _ in }

        func follows(_ namespace: Namespace) -> Bool {
            self.recorded.contains(namespace)
                || self.configured.values.contains { $0.contains { $0.matches(namespace) } }
        }
    }

    /// How many connections of an address are told in a minute.
    static let connectionsPerMinute = 60
    /// How many namespaces of an app are looked at; apps list a handful.
    static let maximumNamespaces = 64

    private let state = Mutex(State())

    init() {}

    /// Sets what takes the events.
    func attach(_ publish: @escaping @Sendable (GatewayEvent) -> Void) {
        self.state.withLock { $0.publish = publish }
    }

    // MARK: What is followed

    /// Sets the namespaces that a part of the gateway names.
    /// - Parameter part: `channels` of the configuration, or the handlers of `plugins`.
    public func follow(_ patterns: [NamespacePattern], for part: String) {
        self.state.withLock { state in
            guard state.configured[part, default: []] != patterns else { return }
            state.configured[part] = patterns
            self.tellFollowed(&state)
        }
    }

    /// Sets the namespaces that readers of events name.
    func follow(_ recorded: RecordedNamespaces) {
        self.state.withLock { state in
            guard state.recorded != recorded else { return }
            state.recorded = recorded
            self.tellFollowed(&state)
        }
    }

    private func tellFollowed(_ state: inout State) {
        for key in Array(state.connections.keys) {
            for owner in Array(state.connections[key, default: [:]].keys) {
                guard var connection = state.connections[key]?[owner] else { continue }
                self.tell(&connection, state)
                state.connections[key]?[owner] = connection
            }
        }
    }

    // MARK: Connections

    /// Notes a connection to an app, or what has changed of one.
    /// - Parameters:
    ///   - owner: whose it is.
    ///   - device: the device's name.
    ///   - namespaces: what the app lists.
    ///   - opened: those among them that are told though nothing follows them.
    ///   - closed: those among them whose channels are closed.
    ///   - isWritable: whether the other end takes what it is sent.
    ///   - now: the present instant.
    public func note(
        _ owner: AppChannel.Owner, device: String, app: AppID, sessionID: String, namespaces: [Namespace],
        opened: Set<Namespace> = [], closed: Set<Namespace> = [], isWritable: Bool, at now: NIODeadline
    ) {
        let key = Self.key(of: owner)
        let namespaces = Array(namespaces.lazy.filter { !closed.contains($0) }.prefix(Self.maximumNamespaces))
        self.state.withLock { state in
            let known = state.connections[key]?[owner]
            if let known, known.sessionID != sessionID { self.end(known, "another session of the app runs", state) }
            let same = known.flatMap { $0.sessionID == sessionID ? $0 : nil }
            var connection =
                same
                ?? Connection(
                    owner: owner, device: device, app: app, sessionID: sessionID, namespaces: [],
                    isWritable: isWritable)
            connection.app = app
            connection.namespaces = namespaces
            connection.opened = opened
            for namespace in connection.told.subtracting(namespaces).sorted(by: { $0.rawValue < $1.rawValue }) {
                connection.told.remove(namespace)
                let reason = closed.contains(namespace) ? "it was closed" : "the app does not list it any more"
                state.publish(.channel(connection.channel(namespace), .disconnected(reason: reason)))
            }
            if self.mayTell(connection, &state, at: now) { self.tell(&connection, state) }
            state.connections[key, default: [:]][owner] = connection
        }
    }

    /// Notes that a connection is gone.
    public func remove(_ owner: AppChannel.Owner, reason: String) {
        let key = Self.key(of: owner)
        self.state.withLock { state in
            guard let connection = state.connections[key]?.removeValue(forKey: owner) else { return }
            if state.connections[key]?.isEmpty ?? false { state.connections[key] = nil }
            self.end(connection, reason, state)
        }
    }

    /// Notes that a sender's channel is gone, with all connections on it.
    public func removeAll(of connection: ConnectionID, reason: String) {
        self.state.withLock { state in
            for gone in (state.connections.removeValue(forKey: .sender(connection)) ?? [:]).values {
                self.end(gone, reason, state)
            }
        }
    }

    /// Notes whether a sender takes what it is sent.
    public func note(isWritable: Bool, of connection: ConnectionID) {
        self.note(isWritable, .sender(connection))
    }

    /// Notes whether the device of a session of Castway's own takes what it is sent.
    public func note(isWritable: Bool, ofSession number: Int) {
        self.note(isWritable, .session(number))
    }

    private func note(_ isWritable: Bool, _ key: Key) {
        self.state.withLock { state in
            guard let owners = state.connections[key] else { return }
            for (owner, connection) in owners where connection.isWritable != isWritable {
                state.connections[key]?[owner]?.isWritable = isWritable
                var changed = connection
                changed.isWritable = isWritable
                for namespace in connection.namespaces where connection.told.contains(namespace) {
                    state.publish(.channel(changed.channel(namespace), .writable))
                }
            }
        }
    }

    /// How many connections are noted.
    var connectionCount: Int { self.state.withLock { $0.connections.values.reduce(0) { $0 + $1.count } } }

    // MARK: Telling

    /// Peers connect at will, so of each address so many connections are told. One that is told of goes on being told of.
    private func mayTell(_ connection: Connection, _ state: inout State, at now: NIODeadline) -> Bool {
        guard case .sender(_, _, let address) = connection.owner, connection.told.isEmpty else { return true }
        guard connection.namespaces.contains(where: state.follows) else { return false }
        return state.throttle.admit(Source(device: connection.device, address: address), at: now) != nil
    }

    private func tell(_ connection: inout Connection, _ state: State) {
        for namespace in connection.namespaces
        where !connection.told.contains(namespace)
            && (connection.opened.contains(namespace) || state.follows(namespace))
        {
            connection.told.insert(namespace)
            state.publish(.channel(connection.channel(namespace), .connected))
        }
    }

    private func end(_ connection: Connection, _ reason: String, _ state: State) {
        for namespace in connection.namespaces where connection.told.contains(namespace) {
            state.publish(.channel(connection.channel(namespace), .disconnected(reason: reason)))
        }
    }

    private static func key(of owner: AppChannel.Owner) -> Key {
        switch owner {
        case .sender(let connection, _, _): .sender(connection)
        case .session(let number): .session(number)
        }
    }
}
