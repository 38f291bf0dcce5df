import CastTransport
import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import VirtualDevices

/// A whole virtual device on loopback: its listener, and its set-up endpoints.
@Suite(.timeLimit(.minutes(1))) struct VirtualDeviceServiceTests {
    /// A gateway without real devices.
    private struct NoDevices: DeviceDirectory {
        func eventLoop(for device: String) -> (any EventLoop)? { nil }
        func makeTarget(for device: String, virtualDevice: DeviceFacts) -> (any DeviceTarget)? { nil }
    }

    private static let anyPort = ListenAddress(host: "127.0.0.1", port: 0)

    private func service(
        listen: ListenAddress = Self.anyPort, target: any DeviceTargetFactory = FakeTargetFactory(),
        setup: SetupConfiguration = SetupConfiguration(), log: LogRecorder = LogRecorder()
    ) throws -> ListeningService {
        let terms = VirtualDeviceTerms(
            VirtualDeviceSettings(name: "lobby", listen: listen) {
                $0.friendlyName = "Lobby"
                $0.setup = setup
            }, target: target,
            environment: VirtualDeviceEnvironment(
                identities: try DeviceBench.store.get(), registry: HandlerRegistry(),
                routerSettings: RouterSettings(), events: EventBus(),
                eventLoops: MultiThreadedEventLoopGroup.singleton, limits: SenderLimits(), drain: .seconds(1)))
        return ListeningService(VirtualDeviceHost(terms, logger: log.logger(), wallClock: { DeviceBench.now }))
    }

    private func withDevice(
        setup: SetupConfiguration = SetupConfiguration {
            $0.http = Self.anyPort
            $0.https = Self.anyPort
        },
        _ body: (VirtualDeviceEndpoints) async throws -> Void
    ) async throws {
        let service = try self.service(setup: setup)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            try await body(try await service.untilListening())
            group.cancelAll()
        }
    }

    @Test func portsAreToldOnceEverythingListens() async throws {
        try await self.withDevice { endpoints in
            #expect(endpoints.name == "lobby")
            #expect(endpoints.friendlyName == "Lobby")
            let ports = [endpoints.castPort, endpoints.setupHTTPPort ?? 0, endpoints.setupHTTPSPort ?? 0]
            #expect(Set(ports).count == 3)
            #expect(!ports.contains(0))
        }
        try await self.withDevice(setup: SetupConfiguration()) { endpoints in
            #expect(endpoints.setupHTTPPort == nil)
            #expect(endpoints.setupHTTPSPort == nil)
        }
    }

    @Test func setUpIsAnsweredOverHTTP() async throws {
        try await self.withDevice { endpoints in
            let port = try #require(endpoints.setupHTTPPort)
            let answer = try await PlainHTTP.get("/setup/eureka_info", port: port)
            #expect(answer.head.hasPrefix("HTTP/1.1 200"))
            #expect(answer.head.lowercased().contains("content-type: application/json"))
            let json = try #require(try JSONReader.read(answer.body).objectValue)
            #expect(json.string("name") == "Lobby")
            #expect(json.int("version") == 12)
            // Some blocks are given only to those who ask.
            #expect(json["device_info"] == nil)
            #expect(json["multizone"] == nil)
        }
    }

    @Test func onlyTheBlocksThatAreAskedForAreGiven() async throws {
        try await self.withDevice { endpoints in
            let port = try #require(endpoints.setupHTTPPort)
            let answer = try await PlainHTTP.get("/setup/eureka_info?params=device_info,name,nonsense", port: port)
            let json = try #require(try JSONReader.read(answer.body).objectValue)
            #expect(Set(json.members.map(\.name)) == ["device_info", "name"])
            #expect(json.object("device_info")?.string("model_name") == "Chromecast")
        }
    }

    @Test func thePictureThatIsAnnouncedIsThere() async throws {
        try await self.withDevice { endpoints in
            let port = try #require(endpoints.setupHTTPPort)
            let answer = try await PlainHTTP.get(DeviceIcon.path, port: port)
            #expect(answer.head.hasPrefix("HTTP/1.1 200"))
            #expect(answer.head.lowercased().contains("content-type: image/png"))
            #expect(answer.head.lowercased().contains("content-length: \(DeviceIcon.png.count)"))
            #expect(DeviceIcon.png.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        }
    }

    @Test(arguments: ["/", "/setup", "/setup/reboot", "/setup/eureka_info/x"])
    func otherPathsDoNotExist(path: String) async throws {
        try await self.withDevice { endpoints in
            let port = try #require(endpoints.setupHTTPPort)
            #expect(try await PlainHTTP.get(path, port: port).head.hasPrefix("HTTP/1.1 404"))
        }
    }

    @Test func overHTTPSTheCertificateIsTheCastChannels() async throws {
        try await self.withDevice { endpoints in
            let port = try #require(endpoints.setupHTTPSPort)
            let answer = try await PlainHTTP.get("/setup/eureka_info?params=name", port: port, isSecured: true)
            #expect(answer.body == #"{"name":"Lobby"}"#)
            #expect(!answer.leaf.isEmpty)
            #expect(try await PlainHTTP.leaf(port: endpoints.castPort) == answer.leaf)
        }
    }

    @Test func aSetUpPortThatIsTakenEndsTheDevice() async throws {
        let taken = try await self.takenPort()
        let setup = SetupConfiguration {
            $0.http = Self.anyPort
            $0.https = ListenAddress(host: "127.0.0.1", port: taken.port)
        }
        let service = try self.service(setup: setup)
        await self.expect(.listenFailed) { try await service.run() }
        await self.expect(.listenFailed) { try await service.untilListening() }
        try await taken.channel.close()
    }

    @Test func aCastPortThatIsTakenEndsTheDevice() async throws {
        let taken = try await self.takenPort()
        let service = try self.service(listen: ListenAddress(host: "127.0.0.1", port: taken.port))
        await self.expect(.listenFailed) { try await service.run() }
        try await taken.channel.close()
    }

    @Test func aDeviceThatDoesNotExistIsNamed() async throws {
        let service = try self.service(
            target: RelayTargetFactory(name: "attic", allowedApps: nil, directory: NoDevices()))
        await self.expect(.unknownDevice) { try await service.run() }
    }

    private func expect(_ code: GatewayError.Code, _ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("nothing was thrown")
        } catch {
            #expect((error as? GatewayError)?.code == code)
        }
    }

    private func takenPort() async throws -> (channel: any Channel, port: Int) {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        return (channel, channel.localAddress?.port ?? 0)
    }
}
