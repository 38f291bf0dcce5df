import CastwayTestSupport
import Foundation
import GatewayCore
import Glibc
import SystemPrimitives
import Testing

@testable import ControlAPI

@Suite struct SocketFileTests {
    private static func mode(of file: SocketFile) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test func onlyThisUserMayEverConnect() throws {
        let folder = try TemporaryFolder()
        let file = SocketFile(path: folder.file("admin.sock"))
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        // The mode is there with the name, before anything else has been done.
        #expect(file.bind(descriptor))
        #expect(try Self.mode(of: file) == 0o600)
        file.remove()
    }

    @Test func itListensWithItsMode() throws {
        let folder = try TemporaryFolder()
        let file = SocketFile(path: folder.file("admin.sock"))
        let descriptor = try file.listen()
        defer { close(descriptor) }
        #expect(try Self.mode(of: file) == 0o600)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        // A second listener finds that it is answered.
        #expect(throws: GatewayError.self) { try file.removeStale() }
        #expect(throws: GatewayError.self) { try file.listen() }
    }

    /// A gateway that hangs accepts nothing, and its queue is full after a while.
    @Test(.timeLimit(.minutes(1))) func aFullQueueIsNotWaitedFor() throws {
        let folder = try TemporaryFolder()
        let file = SocketFile(path: folder.file("admin.sock"))
        let descriptor = try file.listen()
        var waiting: [CInt] = []
        defer { for descriptor in waiting + [descriptor] { close(descriptor) } }
        let address = try #require(UnixSocketAddress(path: file.path))
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        repeat {
            waiting.append(socket(AF_UNIX, kind, 0))
        } while address.withAddress { connect(waiting[waiting.count - 1], $0, $1) } == 0
        #expect(errno == EAGAIN)
        #expect(throws: GatewayError.self) { try file.removeStale() }
    }
}
