import Glibc
package import Logging
package import NIOCore
import NIOPosix
import ServiceLifecycle

/// Tells the sessions with devices when a link, an address or a route of this host comes back: a device that was out of
/// reach for the host's own sake is dialled then, whatever its pause was to be.
package final class NetworkWatch: Service, CustomStringConvertible {
    /// The pause before the kernel is asked again, when it tells nothing.
    private static let pause = Duration.seconds(5)

    private let devices: DeviceSessionDirectory
    private let eventLoop: any EventLoop
    private let logger: Logger

    /// Prepares a watch; nothing is opened before ``run()``.
    /// - Parameters:
    ///   - devices: told of each return.
    ///   - eventLoop: where it lives: one of a `MultiThreadedEventLoopGroup`.
    package init(devices: DeviceSessionDirectory, eventLoop: any EventLoop, logger: Logger) {
        self.devices = devices
        self.eventLoop = eventLoop
        self.logger = logger
    }

    package var description: String { "network watch" }

    /// Watches until graceful shutdown. Where the kernel tells nothing of its network, as in some sandboxes, that is said
    /// once and asked again every few seconds.
    package func run() async throws {
        var isFailureTold = false
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            do {
                let channel = try await self.open()
                await cancelWhenGracefulShutdown {
                    await withTaskCancellationHandler {
                        try? await channel.closeFuture.get()
                    } onCancel: {
                        channel.close(promise: nil)
                    }
                }
                guard !Task.isCancelled, !Task.isShuttingDownGracefully else { return }
                // What was told last is lost.
                self.devices.networkReturned(isLink: false)
            } catch {
                if !isFailureTold {
                    self.logger.notice(
                        "Changes of the network are not seen: a device that was lost by one is dialled when its pause is over",
                        metadata: ["reason": "\(error)"])
                }
                isFailureTold = true
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.pause) }
            }
        }
    }

    private func open() async throws -> any Channel {
        // Heard from before what is there is read, so that nothing is missed.
        let descriptor = try NetlinkSocket.forChanges().release()
        do {
            var state = NetworkState()
            state.begin(with: try NetlinkSocket.read(.links))
            state.begin(with: try NetlinkSocket.read(.addresses))
            let first = state
            return try await NIOPipeBootstrap(group: self.eventLoop)
                .channelOption(
                    .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: NetlinkSocket.maximumLength)
                )
                .channelInitializer { [devices, logger] channel in
                    channel.eventLoop.makeCompletedFuture {
                        let handler = NetworkWatchHandler(state: first) { change in
                            logger.debug("The network is back", metadata: ["what": "\(change)"])
                            devices.networkReturned(isLink: change == .link)
                        }
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                }
                .takingOwnershipOfDescriptor(input: descriptor).get()
        } catch {
            // It stays ours as long as there is no channel.
            close(descriptor)
            throw error
        }
    }
}

/// Reads the kernel's notifications of one netlink channel, and calls back with what came back.
private final class NetworkWatchHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var state: NetworkState
    private var pace = ReturnPace()
    private let returned: (NetworkState.Return) -> Void

    init(state: NetworkState, returned: @escaping (NetworkState.Return) -> Void) {
        self.state = state
        self.returned = returned
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for message in NetlinkMessage.read(self.unwrapInboundIn(data)) {
            guard let change = self.state.take(message),
                let deadline = self.pace.noted(change, at: context.eventLoop.now)
            else { continue }
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(deadline: deadline) {
                let (handler, context) = bound.value
                handler.pace.act(at: context.eventLoop.now).map(handler.returned)
            }
        }
    }

    /// The kernel had more to tell than fits into the socket: it is opened anew.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
