import GatewayCore
import Glibc
import Logging
import NIOCore
import NIOPosix
import Synchronization

extension PluginLife {
    /// How many bytes the path of a socket may have: Linux takes 107 (unix(7)), SwiftNIO no more than every system does.
    private static let maximumPathLength = 103

    /// Waits for a process that others start, and lives as long as its connection.
    func liveAtSocket() async -> PluginEnd {
        let path = "\(self.context.stateDirectory)/plugins/\(self.instance.name).sock"
        guard path.utf8.count <= Self.maximumPathLength else {
            return .unusable("the path of its socket has more than \(Self.maximumPathLength) bytes: \(path)")
        }
        let user: uid_t
        switch self.instance.user {
        case nil: user = geteuid()
        case .some(let name):
            guard let entry = getpwnam(name) else { return .unusable("there is no user '\(name)'") }
            user = entry.pointee.pw_uid
        }
        guard Self.makeFolder("\(self.context.stateDirectory)/plugins") else {
            return .failed("the folder \(self.context.stateDirectory)/plugins cannot be made")
        }
        do {
            try await self.acceptOne(at: path, of: user)
        } catch {
            return self.state.withLock { $0.failure } ?? .failed("nobody can connect at \(path): \(error)")
        }
        await self.converseUntilClosed()
        return self.state.withLock { $0.failure } ?? .failed("its connection was closed")
    }

    /// Returns when a process of the user has connected.
    private func acceptOne(at path: String, of user: uid_t) async throws {
        unlink(path)
        let accepted = self.eventLoop.makePromise(of: Void.self)
        let hasAccepted = NIOLoopBoundBox.makeBoxSendingValue(false, eventLoop: self.eventLoop)
        let listener: any Channel
        do {
            listener = try await ServerBootstrap(group: self.eventLoop)
                .serverChannelOption(.backlog, value: 1)
                // Whatever comes in a turn is worked through before anybody else on the loop has his.
                .childChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelInitializer { channel in
                    Self.peer(of: channel).flatMapThrowing { peer in
                        guard peer == user || peer == 0, !hasAccepted.value else {
                            self.logger.warning(
                                "A process was turned away", metadata: ["uid": .stringConvertible(peer)])
                            throw GatewayError(.unavailable, "turned away")
                        }
                        hasAccepted.value = true
                        try channel.pipeline.syncOperations.addHandler(self.makeWireHandler())
                        accepted.succeed()
                    }
                }.bind(unixDomainSocketPath: path).get()
        } catch {
            // Nobody waits for it, and a promise that nobody keeps ends the process.
            accepted.fail(error)
            throw error
        }
        // Whoever may reach it is judged by who he is.
        chmod(path, user == geteuid() ? 0o600 : 0o666)
        self.state.withLock { $0.listener = listener }
        self.logger.info("Waiting for the plugin to connect", metadata: ["socket": "\(path)"])
        listener.closeFuture.whenComplete { _ in
            accepted.fail(GatewayError(.unavailable, "it is not waited for any more"))
        }
        defer {
            unlink(path)
            listener.close(promise: nil)
        }
        if self.state.withLock({ $0.failure != nil || $0.isEnding }) { listener.close(promise: nil) }
        try await withTaskCancellationHandler {
            try await accepted.futureResult.get()
        } onCancel: {
            listener.close(promise: nil)
        }
    }

    /// The user whose process is at the other end.
    private static func peer(of channel: any Channel) -> EventLoopFuture<uid_t> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(GatewayError(.unavailable, "no socket"))
        }
        let credentials: EventLoopFuture<PeerCredentials> = options.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
        return credentials.map(\.user)
    }
}

/// What SO_PEERCRED tells: `struct ucred` of unix(7).
private struct PeerCredentials: Sendable {
    let process: pid_t
    let user: uid_t
    let group: gid_t
}
