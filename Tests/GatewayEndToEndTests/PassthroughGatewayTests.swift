import CastDiscovery
import CastIdentity
import CastWire
import CastwayTestSupport
import ControlAPI
import DeviceSessions
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import GatewaySettings
import Logging
import SystemPrimitives
import Testing
import VirtualDevices

/// Senders that are passed through to another gateway's device, which stands for a real one: they speak TLS with it, and not with the
/// gateway between.
@Suite(.timeLimit(.minutes(2))) struct PassthroughGatewayTests {
    private static let id = "0123456789abcdef0123456789abcdef"

    /// Tells of the lines that a test waits for.
    private struct Lines: LogHandler {
        let inbox: Inbox<String>
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) { self.inbox.put("\(event.message)") }
    }

    private static func configuration(
        target: String, port: Int? = nil, _ change: (inout VirtualDeviceConfiguration) -> Void = { _ in }
    ) -> GatewayConfiguration {
        var configuration = GatewayConfiguration {
            $0.virtualDevices = [
                VirtualDeviceConfiguration(
                    name: "room", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .passthrough(target)
                ) {
                    $0.publish = false
                    change(&$0)
                }
            ]
            if let port {
                $0.discovery.staticDevices = [
                    StaticDevice(name: target, address: DialAddress(host: "127.0.0.1", port: port))
                ]
            }
        }
        configuration.shutdown.drain = .zero
        return configuration
    }

    /// Runs a gateway that passes senders through, once it knows where the device is.
    private static func passing(
        _ configuration: GatewayConfiguration, awaitsDevices: Bool = true,
        network: any MulticastNetwork = AbsentNetwork(), begin: () -> Void = {},
        body: (RunningGateway, Inbox<String>) async throws -> Void
    ) async throws {
        let lines = Inbox<String>()
        try await RunningGateway.with(
            configuration, awaitsDevices: awaitsDevices, network: network,
            makeLogger: { Logger(label: $0) { _ in Lines(inbox: lines) } }
        ) { near in
            begin()
            _ = await lines.next { $0 == "The device is there" ? $0 : nil }
            try await body(near, lines)
        }
    }

    private static func challenge(_ sender: TestSender, nonce: [UInt8]) async throws -> AuthResponse? {
        let message = DeviceAuthMessage(challenge: AuthChallenge(senderNonce: nonce, hashAlgorithm: .sha256))
        try await sender.send(
            CastMessage(
                source: .platformSender, destination: .platformReceiver, namespace: .deviceAuth,
                payload: message.payload))
        let answer = try await sender.receive { $0.namespace == .deviceAuth }
        return try answer.flatMap { try DeviceAuthMessage(parsing: $0.payload.bytes).response }
    }

    @Test func theDeviceProvesItselfThroughTheSplice() async throws {
        try await RunningGateway.with(.bench) { far in
            let port = far.port("bench")
            try await Self.passing(Self.configuration(target: "tv", port: port)) { near, _ in
                try await TestSender.connect(to: near.port("room")) { sender in
                    let nonce = (0..<16).map { UInt8($0) }
                    let response = try #require(try await Self.challenge(sender, nonce: nonce))
                    let proof = DeviceAuthProof(
                        signature: response.signature, deviceCertificate: response.clientAuthCertificate,
                        intermediates: response.intermediateCertificates, hash: .sha256,
                        nonce: response.senderNonce ?? [])
                    let now = WallClock.secondsSince1970
                    let device = try DeviceAuthVerifier(trustedRoots: [try far.gateway.rootCertificate().der])
                        .verify(proof, leaf: sender.leaf, challengeNonce: nonce, now: now)
                    #expect(device.isFresh)
                    // Nothing of it is the gateway's in between.
                    let near = try DeviceAuthVerifier(trustedRoots: [try near.gateway.rootCertificate().der])
                    #expect(throws: DeviceAuthFailure.self) {
                        try near.verify(proof, leaf: sender.leaf, challengeNonce: nonce, now: now)
                    }
                    let transport = try await sender.launchAndLoad()
                    let status = try await sender.status(requestID: 60)
                    #expect(status.applications.first?.transportID == transport)
                }
            }
        }
    }

    @Test func aGuestIsLetInByACodeAndCheckOutEndsTheSplice() async throws {
        let guest = "127.0.0.31"
        try await RunningGateway.with(.bench) { far in
            let configuration = Self.configuration(target: "tv", port: far.port("bench")) { $0.join = .required }
            try await Self.passing(configuration) { near, _ in
                let bench = OperationBench(near)
                let port = near.port("room")
                let refused = near.gateway.events.subscribe { if case .senderRefused = $0 { true } else { false } }
                try? await TestSender.connect(to: port, from: guest) { try await $0.closed() }
                for await event in refused.events {
                    let reason = "the address has redeemed no join code"
                    #expect(event == .senderRefused(device: "room", address: guest, reason: reason, count: 1))
                    break
                }
                let made = try await bench.answer("join_code.create", ["devices": ["room"]])
                _ = try await bench.answer(
                    "join_code.redeem", ["code": made["code"] ?? "", "address": .string(guest)])
                try await TestSender.connect(to: port, from: guest) { sender in
                    let response = try await Self.challenge(sender, nonce: [1, 2, 3, 4])
                    #expect(response != nil)
                    let senders = try await bench.answer("senders.list").elements("senders")
                    #expect(senders.map { $0.string("device") } == ["room"])
                    #expect(senders.first?.string("address") == guest)
                    let room = try await bench.answer("virtual_device.get", ["device": "room"])
                    #expect(room.string("state") == "listening" && room.string("target") == "tv")
                    #expect(room.int("senders") == 1 && room.bool("target_online") == true)
                    #expect(room.object("traffic")?.int("connected") == 1)
                    let left = try await bench.answer("guest.check_out", ["device": "room"])
                    #expect(left.elements("guests").first?.int("closed") == 1, "\(left)")
                    try await sender.closed()
                }
                let none = try await bench.answer("senders.list").elements("senders")
                #expect(none.isEmpty)
            }
        }
    }

    @Test func sendersThatAReloadDoesNotAllowAreHungUp() async throws {
        try await RunningGateway.with(.bench) { far in
            let configuration = Self.configuration(target: "tv", port: far.port("bench"))
            try await Self.passing(configuration) { near, _ in
                let ends = near.gateway.events.subscribe { $0.name == "sender.disconnected" }
                try await TestSender.connect(to: near.port("room"), from: "127.0.0.2") { stranger in
                    _ = try await stranger.connectPlatform()
                    try await TestSender.connect(to: near.port("room"), from: "127.0.0.3") { guest in
                        _ = try await guest.connectPlatform()
                        var stricter = near.gateway.configuration
                        stricter.virtualDevices[0].allowedSenders = [try #require(AddressRange("127.0.0.3/32"))]
                        _ = try await near.gateway.reload(to: stricter).get()
                        try await stranger.closed()
                        for await case .senderDisconnected(_, _, let reason, _) in ends.events {
                            #expect(reason == "the address is not in senders.allow")
                            break
                        }
                        _ = try await guest.status(requestID: 11)
                    }
                }
            }
        }
    }

    @Test func oneSenderIsDisconnectedByACaller() async throws {
        try await RunningGateway.with(.bench) { far in
            try await Self.passing(Self.configuration(target: "tv", port: far.port("bench"))) { near, _ in
                let bench = OperationBench(near)
                try await TestSender.connect(to: near.port("room")) { sender in
                    let response = try await Self.challenge(sender, nonce: [1, 2, 3, 4])
                    #expect(response != nil)
                    let senders = try await bench.answer("senders.list").elements("senders")
                    let id = try #require(senders.first?.string("id"))
                    let done = try await bench.answer(
                        "virtual_device.disconnect", ["device": "room", "sender": .string(id)])
                    #expect(done.elements("senders").map { $0.string("id") } == [id])
                    try await sender.closed()
                }
                let route = try await bench.answer(
                    "route.explain", ["device": "room", "namespace": "urn:x-cast:com.google.cast.media"])
                #expect(route.elements("steps").first?.string("text")?.contains("no handler sees them") == true)
            }
        }
    }

    /// What guests are to choose is called as their phones call it.
    @Test func theDeviceIsCalledAsSendersSeeIt() async throws {
        let network = ScriptedNetwork()
        let name = "Zimmer 1 TV"
        try await RunningGateway.with(.bench) { far in
            let port = far.port("bench")
            var configuration = Self.configuration(target: name) { $0.join = .required }
            configuration.api.join.listen = ListenAddress(host: "127.0.0.1", port: 0)
            try await Self.passing(
                configuration, network: network,
                begin: {
                    network.say(.browsing)
                    network.announce(id: Self.id, name: name, port: port)
                }
            ) { near, _ in
                let bench = OperationBench(near)
                let listed = try await bench.answer("virtual_devices.list").elements("virtual_devices")
                #expect(listed.map { $0.string("friendly_name") } == [name])
                let made = try await bench.answer("join_code.create", ["devices": ["room"]])
                let form = "code=\((made.string("code") ?? "").replacing(" ", with: "+"))"
                let port = made.string("link").flatMap { $0.split(separator: ":").last }?.prefix { $0 != "/" }
                let page = try await HTTPAsker.ask(
                    "POST", "/", port: try #require(port.flatMap { Int($0) }),
                    type: "application/x-www-form-urlencoded", body: form)
                #expect(page.body.contains("<li>\(name)</li>"), "\(page)")
            }
        }
    }

    /// A television that is written down and off: discovery knows where it would be, and the gateway's own channel that it is not.
    @Test func aDeviceThatIsOffIsNotOnline() async throws {
        try await Self.passing(Self.configuration(target: "tv", port: 1), awaitsDevices: false) { near, _ in
            let bench = OperationBench(near)
            let lost = near.gateway.events.subscribe { if case .deviceOffline = $0 { true } else { false } }
            var room = try await bench.answer("virtual_device.get", ["device": "room"])
            if room.bool("target_online") == true {
                for await _ in lost.events { break }
                room = try await bench.answer("virtual_device.get", ["device": "room"])
            }
            #expect(room.bool("target_online") == false, "\(room)")
            let status = try await bench.answer("gateway.status").elements("virtual_devices")
            #expect(status.first?.bool("target_online") == false)
        }
    }

    @Test func whatIsAnnouncedHereIsNotTakenForTheDevice() async throws {
        let network = ScriptedNetwork()
        try await RunningGateway.with(.bench) { far in
            let port = far.port("bench")
            // The device says its id when the gateway asks it.
            let id = try #require(far.gateway.deviceIDs.first)
            try await Self.passing(
                Self.configuration(target: "Great hall"), network: network,
                begin: {
                    network.say(.browsing)
                    network.announce(id: id, name: "Great hall", port: port)
                }
            ) { near, _ in
                let own = near.port("room")
                let updated = near.gateway.events.subscribe { event in
                    if case .deviceListDidUpdate = event { true } else { false }
                }
                // The same id, at the end point of the gateway itself, in another network…
                network.say(
                    .seen(
                        ServiceSighting(
                            key: ServiceSighting.Key(instance: "Chromecast-\(id)", interface: 7, family: .ipv4),
                            interfaceName: "guests0", host: "other.local", address: "127.0.0.1", port: own,
                            record: DeviceRecord(id: try #require(DeviceID(id)), friendlyName: "Great hall"))))
                // …and then something that changes the list.
                network.announce(id: String(id.reversed()), name: "Office", port: 9)
                for await _ in updated.events { break }
                let hall = try #require(near.gateway.deviceDiscovery.device(id: id))
                #expect(hall.addresses.map(\.port) == [port])
                #expect(hall.isAnnounced)
                try await TestSender.connect(to: own) { sender in
                    let response = try await Self.challenge(sender, nonce: [1, 2, 3, 4])
                    #expect(response != nil)
                }
            }
        }
    }

    @Test func aReloadChangesTheKindOfADeviceInPlace() async throws {
        try await RunningGateway.with(.bench) { far in
            let port = far.port("bench")
            try await Self.passing(Self.configuration(target: "tv", port: port)) { near, lines in
                let gone = near.gateway.events.subscribe { if case .senderDisconnected = $0 { true } else { false } }
                try await TestSender.connect(to: near.port("room")) { sender in
                    let response = try await Self.challenge(sender, nonce: [1, 2, 3, 4])
                    #expect(response != nil)
                    var configuration = near.gateway.configuration
                    configuration.virtualDevices[0].target = .local
                    _ = await near.gateway.reload(to: configuration)
                    try await sender.closed()
                }
                for await event in gone.events {
                    guard case .senderDisconnected(let device, _, let reason, _) = event else { continue }
                    #expect(device == "room")
                    #expect(reason == "the virtual device is gone from the configuration")
                    break
                }
                let room = try #require(near.gateway.endpoints.first { $0.name == "room" })
                try await TestSender.connect(to: room.castPort) { sender in
                    let response = try #require(try await Self.challenge(sender, nonce: [1, 2, 3, 4]))
                    #expect(response.clientAuthCertificate.count > 0)
                }
            }
        }
    }
}
