import CastTransport
import CastWire
import CastwayTestSupport
import ControlAPI
import GatewayConfig
import GatewayOperations
import HTTPServing
import Logging
import NIOCore
import NIOPosix
import Testing

/// The bytes of pictures, as callers get them.
@Suite(.timeLimit(.minutes(1))) struct PictureRoutesTests {
    private static let bytes = ByteBuffer(string: "PICTURE")

    /// The answer to one request, with how the routes have asked for the picture.
    private static func ask(
        _ request: String, problem: OperationProblem? = nil
    ) async throws -> (answer: String, asked: (place: PicturePlace, picture: String)?) {
        let asked = Inbox<(place: PicturePlace, picture: String)?>()
        let routes = PictureRoutes(audit: nil) { place, picture, _ throws(OperationProblem) in
            asked.put((place, picture))
            if let problem { throw problem }
            return ServedPicture(bytes: Self.bytes, contentType: "image/webp", tag: "0123", age: 60)
        }
        let limits = ConnectionLimits(total: 32, perAddress: 32)
        var configuration = APIConfiguration()
        configuration.listen = ListenAddress(host: "127.0.0.1", port: 0)
        let listening = Inbox<Bool>()
        let server = APIServer(
            APIServer.Settings(configuration, certificate: nil),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, onListening: { listening.put(true) })
        let running = server.serving(
            OperationCatalogue([]), routes: [routes], authority: FakeAuthority(takesStrangers: true),
            admission: Admission(senders: limits, setup: limits, admin: limits), audit: nil,
            on: { MultiThreadedEventLoopGroup.singleton })
        var answer = ""
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await running.run() }
            _ = await listening.next()
            try await HTTPPeer.connect(to: try #require(server.port)) { peer in
                peer.send("\(request)\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                answer = await peer.readToEnd()
            }
            group.cancelAll()
        }
        asked.put(nil)
        return (answer, await asked.next() ?? nil)
    }

    @Test func aPictureIsWhatItsBytesAre() async throws {
        let (answer, asked) = try await Self.ask("GET /api/v1/devices/hall/pictures/abc HTTP/1.1")
        #expect(asked?.place == .device("hall") && asked?.picture == "abc")
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
        #expect(answer.hasSuffix("\r\n\r\nPICTURE"), "\(answer)")
        let head = answer.lowercased()
        for header in [
            "content-type: image/webp", "etag: \"0123\"", "cache-control: private, max-age=60",
            "x-content-type-options: nosniff", "content-security-policy: default-src 'none'; sandbox",
            "content-length: 7",
        ] { #expect(head.contains("\r\n\(header)\r\n"), "\(header) in \(answer)") }
    }

    @Test(arguments: ["\"0123\"", "\"x\", W/\"0123\"", "*"]) func whatACallerHasIsNotSent(tags: String) async throws {
        let (answer, _) = try await Self.ask(
            "GET /api/v1/catalogues/films/pictures/abc HTTP/1.1\r\nIf-None-Match: \(tags)")
        #expect(answer.hasPrefix("HTTP/1.1 304 "), "\(answer)")
        #expect(!answer.contains("PICTURE"))
        #expect(answer.lowercased().contains("\r\netag: \"0123\"\r\n"))
    }

    @Test func anotherTagIsAnotherPicture() async throws {
        let (answer, _) = try await Self.ask(
            "GET /api/v1/catalogues/films/pictures/abc HTTP/1.1\r\nIf-None-Match: \"01234\", 0123")
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    }

    @Test(arguments: ["hall", "Küche 2", "a/b", "virtual:x?y#z", "50%", "..%2f..", "\"\r\n"])
    func namesOfDevicesPass(name: String) async throws {
        let path = PictureRoutes.path(of: .device(name), picture: "abc")
        #expect(path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        let (_, asked) = try await Self.ask("GET \(path) HTTP/1.1")
        #expect(asked?.place == .device(name), "\(path)")
    }

    @Test func whatIsNotUTF8IsRefused() async throws {
        let (answer, asked) = try await Self.ask("GET /api/v1/devices/%FF/pictures/abc HTTP/1.1")
        #expect(asked == nil)
        #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("bad_request"), "\(answer)")
    }

    @Test func aProblemIsTold() async throws {
        let problem = OperationProblem("picture_not_fetched", status: 502, "no", members: ["cause": "timeout"])
        let (answer, _) = try await Self.ask("GET /api/v1/devices/hall/pictures/abc HTTP/1.1", problem: problem)
        #expect(answer.hasPrefix("HTTP/1.1 502 "), "\(answer)")
        #expect(answer.contains(#""cause":"timeout""#) && answer.contains("application/problem+json"), "\(answer)")
        let (other, asked) = try await Self.ask("DELETE /api/v1/devices/hall/pictures/abc HTTP/1.1")
        #expect(asked == nil)
        #expect(other.hasPrefix("HTTP/1.1 405 ") && other.lowercased().contains("\r\nallow: get, head\r\n"), "\(other)")
    }
}
