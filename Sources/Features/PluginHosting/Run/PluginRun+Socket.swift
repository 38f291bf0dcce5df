import GatewayCore
import Glibc
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The plugin as a process that another service starts, and that connects to a socket.
extension PluginRun {
    /// The number of bytes the path of a socket may have: Linux takes 107 (unix(7)), SwiftNIO no more than every system
    /// does.
    private static let maximumPathLength = 103

    /// Waits for the process, and runs as long as its connection.
    /// - Returns: how it ended.
    func runAtSocket() async -> PluginEnd {
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
            return self.end ?? .failed("no plugin can connect at \(path): \(error)")
        }
        await self.converseUntilClosed()
        return self.end ?? .failed("its connection was closed")
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
                // One read a turn, so that the loop's other connections have theirs.
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
            // A promise that is never completed would end the process.
            accepted.fail(error)
            throw error
        }
        // Any process may connect, and its user is checked then.
        chmod(path, user == geteuid() ? 0o600 : 0o666)
        self.logger.info("Waiting for the plugin to connect", metadata: ["socket": "\(path)"])
        listener.closeFuture.whenComplete { _ in
            accepted.fail(GatewayError(.unavailable, "it is not waited for any more"))
        }
        defer {
            unlink(path)
            listener.close(promise: nil)
        }
        self.opened(listener)
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

/// The credentials of SO_PEERCRED: `struct ucred` of unix(7).
private struct PeerCredentials: Sendable {
    let process: pid_t
    let user: uid_t
    let group: gid_t
}
