import Glibc
import NIOCore
import NIOPosix
import Subprocess
import SystemPackage

/// One process of a plugin, under `castway-launch`, which signals and reaps it.
final class PluginProcess: Sendable {
    /// The reason nothing could be started.
    struct StartFailure: Error, CustomStringConvertible {
        let description: String
    }

    /// The launcher ends what it started within this time when it is told to go itself.
    private static let teardown = Duration.seconds(5)

    private let lifeline: any Channel
    private let diagnostics: any Channel
    private let wire: any Channel
    private let ends: Ends

    private struct Ends: Sendable {
        let wire: SystemPackage.FileDescriptor
        let lifeline: SystemPackage.FileDescriptor
        let diagnostics: SystemPackage.FileDescriptor
    }

    private init(wire: any Channel, lifeline: any Channel, diagnostics: any Channel, ends: Ends) {
        self.wire = wire
        self.lifeline = lifeline
        self.diagnostics = diagnostics
        self.ends = ends
    }

    /// Makes the lines to a process that is not there yet; ``run(launcher:_:)`` must follow.
    /// - Parameters:
    ///   - environment: what the launcher reads first, before any command: ``PluginLaunch/environmentBlock``.
    ///   - makeWire: makes the handler of the plugin's lines, on the event loop.
    ///   - onReport: what the launcher says, on the event loop.
    ///   - onDiagnostics: what the plugin writes to its standard error, on the event loop.
    /// - Throws: ``StartFailure`` when descriptors are short.
    static func prepare(
        on eventLoop: any EventLoop, environment: [UInt8], makeWire: @escaping @Sendable () -> any ChannelHandler,
        onReport: @escaping @Sendable (LauncherReport) -> Void,
        onDiagnostics: @escaping @Sendable (ByteBuffer?) -> Void
    ) async throws -> PluginProcess {
        let wire = try Self.pair()
        var open = [wire.0, wire.1]
        do {
            let lifeline = try Self.pair()
            open += [lifeline.0, lifeline.1]
            let (reading, writing) = try Self.pipe()
            open += [reading, writing]
            let ends = Ends(wire: wire.1, lifeline: lifeline.1, diagnostics: writing)
            // A channel owns its descriptor from here on, also when it cannot be made.
            open.removeAll { $0 == wire.0 }
            let wireChannel = try await Self.channel(wire.0, on: eventLoop, handler: makeWire)
            open.removeAll { $0 == lifeline.0 }
            let lifelineChannel = try await Self.channel(lifeline.0, on: eventLoop) {
                LauncherLineHandler(onReport: onReport)
            }
            lifelineChannel.writeAndFlush(ByteBuffer(bytes: environment), promise: nil)
            open.removeAll { $0 == reading }
            let diagnostics = try await NIOPipeBootstrap(group: eventLoop)
                .channelOption(.maxMessagesPerRead, value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(DiagnosticsHandler(onBytes: onDiagnostics))
                    }
                }.takingOwnershipOfDescriptor(input: reading.rawValue).get()
            return PluginProcess(
                wire: wireChannel, lifeline: lifelineChannel, diagnostics: diagnostics, ends: ends)
        } catch {
            for descriptor in open { try? descriptor.close() }
            throw StartFailure(description: "the lines to the plugin cannot be made: \(error)")
        }
    }

    /// Starts the launcher and waits until it and everything under it has ended.
    /// - Throws: ``StartFailure`` when the launcher cannot be started.
    func run(launcher: String, _ launch: PluginLaunch) async throws {
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: Self.teardown)]
        do {
            _ = try await Subprocess.run(
                .path(FilePath(launcher)), arguments: Arguments(launch.arguments), environment: .custom([:]),
                platformOptions: options,
                input: .fileDescriptor(self.ends.wire, closeAfterSpawningProcess: true),
                output: .fileDescriptor(self.ends.lifeline, closeAfterSpawningProcess: true),
                error: .fileDescriptor(self.ends.diagnostics, closeAfterSpawningProcess: true))
        } catch {
            throw StartFailure(description: "\(launcher) cannot be started: \(error)")
        }
    }

    /// Closes what is left of the lines; after ``run(launcher:_:)``. What the process wrote last has been read by then.
    func finish() async {
        for channel in [self.wire, self.lifeline, self.diagnostics] {
            // A copy of an end, as a process that escaped may hold, must not hold this up.
            let timeout = channel.eventLoop.scheduleTask(in: .milliseconds(200)) { channel.close(promise: nil) }
            try? await channel.closeFuture.get()
            timeout.cancel()
        }
    }

    func terminate() { self.command("T") }

    /// Ends the plugin and everything that it started.
    func kill() { self.command("K") }

    private func command(_ text: String) {
        self.lifeline.writeAndFlush(ByteBuffer(string: text), promise: nil)
    }

    // MARK: Descriptors

    private static func pair() throws -> (SystemPackage.FileDescriptor, SystemPackage.FileDescriptor) {
        var descriptors: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &descriptors) == 0 else {
            throw Errno(rawValue: errno)
        }
        return (
            SystemPackage.FileDescriptor(rawValue: descriptors[0]),
            SystemPackage.FileDescriptor(rawValue: descriptors[1])
        )
    }

    private static func pipe() throws -> (SystemPackage.FileDescriptor, SystemPackage.FileDescriptor) {
        let (reading, writing) = try SystemPackage.FileDescriptor.pipe()
        for end in [reading, writing] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        return (reading, writing)
    }

    private static func channel(
        _ descriptor: SystemPackage.FileDescriptor, on eventLoop: any EventLoop,
        handler: @escaping @Sendable () -> any ChannelHandler
    ) async throws -> any Channel {
        try await ClientBootstrap(group: eventLoop)
            // One read a turn, so that the loop's other connections have theirs.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 65_536, maximum: 65_536)
            )
            .channelOption(.allowRemoteHalfClosure, value: false)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler()) }
            }.withConnectedSocket(descriptor.rawValue).get()
    }
}

final class DiagnosticsHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Takes bytes; nil at the end.
    private let onBytes: @Sendable (ByteBuffer?) -> Void

    init(onBytes: @escaping @Sendable (ByteBuffer?) -> Void) {
        self.onBytes = onBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.onBytes(self.unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.onBytes(nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
