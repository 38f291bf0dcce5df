import CastDiscovery
import CastTransport
import CastWire
import CastwayTestSupport
import DeviceListening
import GatewayConfig
import NIOCore
import Synchronization
import Testing

@testable import Passthrough

/// The set-up port of a device that is passed through, with a device of the test behind it.
@Suite(.timeLimit(.minutes(1))) struct SetupProxyTests {
    /// The requests that reached the device, and what it answers.
    private final class Device: Sendable {
        let requests = Mutex<[String]>([])

        var targets: [String] {
            self.requests.withLock { $0.map { $0.split(separator: " ").dropFirst().first.map(String.init) ?? "" } }
        }

        func serve(_ peer: RawPeer, _ answers: [String: String]) async throws {
            var request = ""
            while !request.contains("\r\n\r\n"), let bytes = try await peer.receive() {
                request += String(decoding: bytes, as: UTF8.self)
            }
            self.requests.withLock { $0.append(request) }
            let target = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            let path = target.split(separator: "?").first.map(String.init) ?? ""
            let answer = answers[path] ?? "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
            try await peer.send(Array(answer.utf8))
            peer.finish()
            _ = try await peer.receiveAll()
        }
    }

    private static func answer(_ body: String, type: String = "application/json", status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\nSet-Cookie: a=b\r\n\r\n\(body)"
    }

    private static let information =
        #"{"name":"Room 12","detail":{"icon_list":[{"url":"/setup/big.png"},{"url":"/setup/reboot"}]}}"#

    /// Asks the set-up port for each target, one after the other.
    private func ask(
        _ requests: [String], of answers: [String: String], isAway: Bool = false,
        bytes: Int = 1000, body: ([String], Device) throws -> Void
    ) async throws {
        let device = Device()
        try await RawPeer.listen { peer in
            try await device.serve(peer, answers)
        } body: { port in
            let record = try PassthroughAnnouncementTests.record()
            let known = PassedDevice(record: record, addresses: [DialAddress(host: "127.0.0.1", port: 8009)])
            try await PassthroughBench.with(isAway ? nil : known) { settings, environment in
                settings.setup = ListenAddress(host: "127.0.0.1", port: 0)
                environment.setup.port = port
                environment.setup.answerBytes = bytes
                environment.setup.answerTime = .seconds(5)
            } body: { bench in
                _ = await bench.environment.running.overview(of: "room")
                let setupPort = try #require(bench.service.endpoints?.setupHTTPPort)
                var heard: [String] = []
                for request in requests {
                    let answer = try await RawPeer.connect(to: setupPort) { client in
                        try await client.send(
                            Array("\(request)\r\nHost: 192.0.2.1\r\nCookie: secret\r\nConnection: close\r\n\r\n".utf8))
                        return try await client.receiveAll()
                    }
                    heard.append(String(decoding: answer, as: UTF8.self))
                }
                try body(heard, device)
            }
        }
    }

    @Test func whatTheDeviceSaysOfItselfIsPassedOn() async throws {
        let answers = ["/setup/eureka_info": Self.answer(Self.information)]
        try await self.ask(
            ["GET /setup/eureka_info?params=name,device_info HTTP/1.1"], of: answers
        ) { heard, device in
            #expect(heard[0].hasPrefix("HTTP/1.1 200"))
            #expect(heard[0].hasSuffix(Self.information))
            #expect(!heard[0].lowercased().contains("set-cookie"))
            #expect(device.targets == ["/setup/eureka_info?params=name,device_info"])
            let request = device.requests.withLock { $0[0] }
            // A device refuses a Host that is a name, and nothing of the client's own is its business.
            #expect(request.contains("Host: 127.0.0.1:"))
            #expect(!request.contains("secret"))
        }
    }

    @Test func picturesArePassedOnOnceTheDeviceHasNamedThem() async throws {
        let picture = Self.answer("PNG", type: "image/png")
        let answers = [
            "/setup/eureka_info": Self.answer(Self.information), "/setup/big.png": picture, "/setup/icon.png": picture,
            "/setup/reboot": Self.answer("{}"),
        ]
        try await self.ask(
            [
                "GET /setup/icon.png HTTP/1.1", "GET /setup/big.png HTTP/1.1", "GET /setup/eureka_info HTTP/1.1",
                "GET /setup/big.png HTTP/1.1", "GET /setup/reboot HTTP/1.1",
            ], of: answers
        ) { heard, device in
            #expect(
                heard.map { String($0.prefix(12)) } == ["200", "404", "200", "200", "404"].map { "HTTP/1.1 \($0)" })
            #expect(heard[3].lowercased().contains("content-type: image/png"))
            #expect(device.targets == ["/setup/icon.png", "/setup/eureka_info", "/setup/big.png"])
        }
    }

    @Test func nothingElseReachesTheDevice() async throws {
        try await self.ask(
            [
                "POST /setup/eureka_info HTTP/1.1", "POST /setup/reboot HTTP/1.1", "GET /setup/reboot HTTP/1.1",
                "POST /apps/YouTube HTTP/1.1", "GET /setup/eureka_info/../reboot HTTP/1.1",
                "GET //setup/eureka_info HTTP/1.1", "PUT /setup/eureka_info HTTP/1.1", "DELETE /apps/x HTTP/1.1",
            ], of: [:]
        ) { heard, device in
            for answer in heard { #expect(answer.hasPrefix("HTTP/1.1 40"), "\(answer)") }
            #expect(device.targets == [])
        }
    }

    @Test(
        arguments: [
            Self.answer(String(repeating: "x", count: 2000)), Self.answer("no JSON"), Self.answer("[1]"),
            Self.answer("{}", status: "302 Found\r\nLocation: http://192.0.2.1/"),
            Self.answer("{}", status: "500 Oops"),
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}", "garbage\r\n\r\n", "",
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "y", count: 20_000) + "\r\n\r\n{}",
        ])
    func anAnswerThatIsNoneIsABadGateway(answer: String) async throws {
        try await self.ask(["GET /setup/eureka_info HTTP/1.1"], of: ["/setup/eureka_info": answer]) { heard, _ in
            #expect(heard[0].hasPrefix("HTTP/1.1 502"), "\(heard[0])")
        }
    }

    @Test func aConnectionThatIsKeptOpenIsJudgedForEachRequest() async throws {
        let device = Device()
        let rights = PassthroughBench.Rights()
        rights.allow("127.0.0.1")
        try await RawPeer.listen { peer in
            try await device.serve(peer, ["/setup/eureka_info": Self.answer(Self.information)])
        } body: { port in
            try await PassthroughBench.with(.at(8009), rights: rights) { settings, environment in
                settings.setup = ListenAddress(host: "127.0.0.1", port: 0)
                settings.senders.join = .required
                environment.setup.port = port
            } body: { bench in
                _ = await bench.environment.running.overview(of: "room")
                let setupPort = try #require(bench.service.endpoints?.setupHTTPPort)
                let request = "GET /setup/eureka_info HTTP/1.1\r\nHost: 192.0.2.1\r\n"
                let heard = try await RawPeer.connect(to: setupPort) { client in
                    try await client.send(Array("\(request)\r\n".utf8))
                    var first = ""
                    while !first.hasSuffix("]}}"), let bytes = try await client.receive() {
                        first += String(decoding: bytes, as: UTF8.self)
                    }
                    rights.disallow("127.0.0.1")
                    try await client.send(Array("\(request)Connection: close\r\n\r\n".utf8))
                    return [first, String(decoding: try await client.receiveAll(), as: UTF8.self)]
                }
                #expect(heard.map { String($0.prefix(12)) } == ["HTTP/1.1 200", "HTTP/1.1 403"])
                #expect(device.targets == ["/setup/eureka_info"])
            }
        }
    }

    @Test func aPictureMustBeOne() async throws {
        let script = Self.answer("<script>", type: "text/html")
        try await self.ask(["GET /setup/icon.png HTTP/1.1"], of: ["/setup/icon.png": script]) { heard, _ in
            #expect(heard[0].hasPrefix("HTTP/1.1 502"))
        }
    }

    @Test func aDeviceThatIsAwayIsUnavailable() async throws {
        try await self.ask(["GET /setup/eureka_info HTTP/1.1"], of: [:], isAway: true) { heard, _ in
            #expect(heard[0].hasPrefix("HTTP/1.1 503"))
        }
    }

    @Test func theDeviceIsAskedOnlySoMuchAtATime() {
        let desk = SetupProxyState()
        #expect(desk.begin(most: 2) == nil)
        desk.follow(host: "10.0.5.12", iconPath: nil)
        desk.learn(["icon_list": [["url": "/setup/big.png"]]])
        desk.follow(host: "10.0.5.12", iconPath: nil)
        #expect(desk.wanted("/setup/big.png") != nil)
        #expect(desk.begin(most: 2) == "10.0.5.12")
        #expect(desk.begin(most: 2) == "10.0.5.12")
        #expect(desk.begin(most: 2) == nil)
        desk.end()
        #expect(desk.begin(most: 2) == "10.0.5.12")
    }
}
