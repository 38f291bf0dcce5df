import CastwayTestSupport
import GatewayCore
import Glibc
import Testing

@testable import ControlAPI

@Suite struct SocketFileTests {
    @Test func onlyThisUserMayEverConnect() throws {
        let folder = try TemporaryFolder()
        let file = SocketFile(path: folder.file("admin.sock"))
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        // The mode is there with the name, before anything else has been done.
        #expect(file.bind(descriptor))
        var info = stat()
        #expect(lstat(file.path, &info) == 0)
        #expect(info.st_mode & 0o777 == 0o600)
        file.remove()
    }

    @Test func itListensWithItsMode() throws {
        let folder = try TemporaryFolder()
        let file = SocketFile(path: folder.file("admin.sock"))
        let descriptor = try file.listen()
        defer { close(descriptor) }
        var info = stat()
        #expect(lstat(file.path, &info) == 0)
        #expect(info.st_mode & 0o777 == 0o600)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        // Whoever comes second finds that it is answered.
        #expect(throws: GatewayError.self) { try file.removeStale() }
        #expect(throws: GatewayError.self) { try file.listen() }
    }
}
