import Foundation
import Glibc
import NIOCore
import NIOPosix

/// The least that a process behind a socket costs: it copies bytes, and a bare NIO channel counts what comes back.
final class BareEcho: Subject {
    let name = "bare echo process"
    private let process: Process
    private let channel: any Channel

    private init(process: Process, channel: any Channel) {
        self.process = process
        self.channel = channel
    }

    /// Starts the process at the other end of a pair of sockets, as a plugin's is.
    static func start(program: URL, on eventLoop: any EventLoop) async throws -> BareEcho {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw IOError(errnoCode: errno, reason: "socketpair")
        }
        let process = Process()
        process.executableURL = program
        let end = FileHandle(fileDescriptor: ends[1], closeOnDealloc: false)
        process.standardInput = end
        process.standardOutput = end
        try process.run()
        close(ends[1])
        let channel = try await ClientBootstrap(group: eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(BareEchoHandler())
                }
            }.withConnectedSocket(ends[0]).get()
        return BareEcho(process: process, channel: channel)
    }

    func run(depth: Int, count: Int) async throws -> Round {
        let channel = self.channel
        return try await channel.eventLoop.flatSubmit {
            do {
                return try channel.pipeline.syncOperations.handler(type: BareEchoHandler.self)
                    .run(depth: depth, count: count)
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
        }.get()
    }

    func stop() async throws {
        try await self.channel.close()
        self.process.waitUntilExit()
    }
}
