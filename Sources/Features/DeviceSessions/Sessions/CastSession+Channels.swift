package import CastWire
package import GatewayCore

/// A channel of a session of Castway's own: the app in one namespace.
package struct SessionChannel: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// The app can be spoken to, and lists the namespace.
        case connected
        case unsupported
        /// It was closed, or the app cannot be spoken to.
        case closed
    }

    package let namespace: Namespace
    package let state: State
    /// True if the device takes what it is sent; false where nothing can be sent.
    package let isWritable: Bool
    /// True if a caller has opened it.
    package let isOpened: Bool
}

// The channels of the app, as callers open and close them.
extension CastSession {
    /// Opens a channel: it is told of, and what the app says there is recorded, with and without readers.
    /// - Returns: the channel then. One that the app does not list yet is connected once it does.
    /// - Throws: ``SessionFailure``: `invalidRequest` for a namespace that is no app's own, or when too many are open; `sessionNotActive`
    ///   when the session has ended.
    package func openChannel(_ namespace: Namespace) async throws(SessionFailure) -> SessionChannel {
        try await self.change(namespace) { $0.open($1) }
    }

    /// Closes a channel: what the app says there reaches callers that wait for an answer alone.
    /// - Returns: the channel then.
    /// - Throws: ``SessionFailure``: `invalidRequest` for a namespace that is no app's own, or when too many are closed; `sessionNotActive`
    ///   when the session has ended.
    package func closeChannel(_ namespace: Namespace) async throws(SessionFailure) -> SessionChannel {
        try await self.change(namespace) { $0.close($1) }
    }

    /// The channels of the app that callers have opened or closed, and those that are asked for, by namespace.
    /// - Parameter patterns: those that are asked for, of which a pattern stands for all that the app lists.
    package func channels(in patterns: [NamespacePattern]) async throws(SessionFailure) -> [SessionChannel] {
        try await self.read { host in
            let listed = host.facts.app?.namespaces ?? []
            var namespaces = host.channels.opened.union(host.channels.closed)
            namespaces.formUnion(
                listed.filter { namespace in
                    namespace.family == .custom && patterns.contains { $0.matches(namespace) }
                })
            for case .exact(let namespace) in patterns { namespaces.insert(namespace) }
            return namespaces.sorted { $0.rawValue < $1.rawValue }.map { host.channel($0) }
        }
    }

    private func change(
        _ namespace: Namespace, _ change: @escaping @Sendable (inout OpenedChannels, Namespace) -> Bool
    ) async throws(SessionFailure) -> SessionChannel {
        guard namespace.family == .custom else {
            throw SessionFailure(.invalidRequest, "'\(namespace)' is no namespace of an app's own")
        }
        let outcome = try await self.read { host -> Result<SessionChannel, SessionFailure> in
            guard !host.isOver else {
                return .failure(SessionFailure(.sessionNotActive, "the session with '\(host.facts.device)' is over"))
            }
            guard change(&host.channels, namespace) else {
                return .failure(
                    SessionFailure(
                        .invalidRequest, "at most \(OpenedChannels.limit) channels of a session are opened or closed"))
            }
            host.followChannels()
            return .success(host.channel(namespace))
        }
        return try outcome.get()
    }
}

extension SessionHost {
    fileprivate func channel(_ namespace: Namespace) -> SessionChannel {
        let lists = self.facts.app?.namespaces.contains(namespace) ?? false
        let isClosed = self.transport == nil || self.channels.closed.contains(namespace)
        let state: SessionChannel.State = isClosed ? .closed : lists ? .connected : .unsupported
        return SessionChannel(
            namespace: namespace, state: state, isWritable: state == .connected && self.isWritable,
            isOpened: self.channels.opened.contains(namespace))
    }
}
