import CastWire
import GatewayConfig
import GatewayFixtures
import GatewayOperations
import Testing
import VirtualDevices

@testable import DeviceHosting
@testable import GatewayApp

/// Callers that are limited to some devices reach no other by any operation, and learn nothing of them.
@Suite(.timeLimit(.minutes(2))) struct DeviceAccessTests {
    private static let limited = Caller(
        name: "guest", scopes: Set(OperationScope.allCases), devices: [DevicePattern("lounge*")])

    /// What operations want besides a device or a session.
    private static let inputs: [String: JSONValue] = [
        "url": "http://192.0.2.1/film.mp4", "position": 1, "rate": 1, "level": 0.5, "active": [1],
        "style": ["font_scale": 1],
        "items": [1], "item": 1, "mode": "off", "namespace": "urn:x-cast:com.example.quiz", "text": "hello",
        "to": "wall", "state": ["loadRequestData": [:]],
    ]
    /// Operations whose keys of those names are others, or exclude each other.
    private static let special: [OperationName: JSONObject] = [
        "media.tracks": ["active": [1]], "queue.insert": ["items": [["media": [:]]]],
        "queue.update": ["items": [["itemId": 1]]], "media.load": ["url": "http://192.0.2.1/film.mp4"],
        "media.check": ["url": "http://192.0.2.1/film.mp4"],
        "media.seek": ["position": 1], "media.request": ["type": "DISPLAY_STATUS"], "volume.set": ["level": 0.5],
        "queue.jump": ["item": 1],
        "message.send": ["namespace": "urn:x-cast:com.example.quiz", "text": "hello"],
        "message.broadcast": ["namespace": "urn:x-cast:com.example.quiz", "text": "hello"],
        "message.send_to_sender": ["sender": "c1", "namespace": "urn:x-cast:com.example.quiz", "text": "hello"],
        "media.stream_volume": ["level": 0.5], "media.rate": ["rate": 1], "virtual_device.disconnect": ["sender": "c1"],
        "device.can_display": ["content_type": "video/mp4"],
        "device.attributes": ["remove": ["floor"]], "group.change": ["add": ["lounge"]],
        "virtual_device.launch": ["app": "CC1AD845"], "virtual_device.simulate": ["key": "mute"],
    ]

    private static func input(_ declaration: OperationDeclaration, device: JSONValue, session: JSONValue) -> JSONObject
    {
        var input: JSONObject = Self.special[declaration.name] ?? [:]
        for field in declaration.fields where field.presence == .required && input[field.name] == nil {
            switch field.name {
            case "device": input["device"] = device
            case "id" where declaration.name == "device.find": input["id"] = device
            case "session": input["session"] = session
            case "link":
                input["link"] = .string(
                    "castway:session?device=\(device.stringValue ?? "")&session=\(session.stringValue ?? "")")
            default: input[field.name] = Self.inputs[field.name]
            }
        }
        return input
    }

    @Test func noOperationReachesAnotherDevice() async throws {
        try await DeviceOperationsBench.with { bench in
            for device in ["hall", "wall"] {
                let session = try await bench.play(on: device)["session_id"] ?? .null
                let operations = bench.running.gateway.operations.declarations.filter { $0.reach == .device }
                #expect(operations.count >= 34)
                for operation in operations {
                    let real = Self.input(operation, device: .string(device), session: session)
                    let problem = try await bench.problem(operation.name, real, for: Self.limited)
                    #expect(problem?.code == "device_not_allowed", "\(operation.name): \(String(describing: problem))")
                    // What is not there is refused in the same words.
                    let none = Self.input(operation, device: "attic", session: "nothing")
                    let other = try await bench.problem(operation.name, none, for: Self.limited)
                    let text = session.stringValue ?? ""
                    #expect(
                        other?.detail.replacing("attic", with: device).replacing("nothing", with: text)
                            == problem?.detail, "\(operation.name)")
                }
                // And it is as it was.
                #expect(
                    try await bench.call("media.status", ["device": .string(device)]).string("player_state")
                        == "playing")
            }
        }
    }

    /// Credentials take a scope of their own, also as a part of something else.
    @Test func credentialsTakeTheirScope() async throws {
        try await DeviceOperationsBench.with { bench in
            let guest = Caller(name: "guest", scopes: [.read, .control])
            let session = try await bench.call("session.start", ["device": "wall", "app": "CC1AD845"])["session"]
            let media: JSONValue = ["contentId": "http://192.0.2.1/a.mp4"]
            let state: JSONValue = ["loadRequestData": ["media": media, "credentials": "secret"]]
            let calls: [(OperationName, JSONObject)] = [
                ("session.start", ["device": "hall", "app": "CC1AD845", "credentials": "secret"]),
                ("media.load", ["device": "wall", "content_id": "a", "credentials": "secret"]),
                ("media.load", ["device": "wall", "content_id": "a", "atv_credentials": "secret"]),
                ("media.check", ["device": "wall", "content_id": "a", "credentials": "secret"]),
                ("session.restore", ["session": session ?? .null, "state": state]),
            ]
            for (name, input) in calls {
                let problem = try await bench.problem(name, input, for: guest)
                #expect(problem?.code == "scope_missing", "\(name): \(String(describing: problem))")
                #expect(problem?.detail.contains("credentials' takes the scope 'credentials'") == true)
                let other = Caller(name: "host", scopes: [.control, .credentials])
                #expect(try await bench.problem(name, input, for: other)?.code != "scope_missing", "\(name)")
            }
        }
    }

    @Test func aNameMayMeanTwoDevices() async throws {
        try await DeviceOperationsBench.with { bench in
            let problem = try await bench.problem("volume.get", ["device": "office"])
            #expect(problem?.code == "ambiguous_device")
            #expect(problem?.members.array("choices") == ["real:office", "virtual:office"])
            for kind in ["real", "virtual"] {
                let answer = try await bench.call("volume.set", ["device": .string("\(kind):office"), "level": 0.25])
                #expect(answer.string("kind") == kind)
                #expect(answer.string("device") == "office")
            }
            #expect(try await bench.problem("volume.get", ["device": "virtual:wall"])?.code == "unknown_device")
            #expect(try await bench.problem("volume.get", ["device": "real:hall"])?.code == "unknown_device")
            #expect(try await bench.problem("volume.get", ["device": "attic"])?.code == "unknown_device")
            // Within its pattern a limited caller is told that there is nothing.
            let nothing = try await bench.problem("volume.get", ["device": "lounge-2"], for: Self.limited)
            #expect(nothing?.code == "unknown_device")
        }
    }

    /// Whichever operation is asked, a text means the same device, and is refused in the same words.
    @Test func allOperationsLookDevicesUpAlike() async throws {
        try await DeviceOperationsBench.with { bench in
            let operations = bench.running.gateway.operations.declarations.filter { declaration in
                declaration.reach == .device && declaration.fields.contains { $0.name == "device" }
            }
            let onVirtual = Set(
                operations.filter { $0.problems.contains { $0.code == "not_virtual" } }.map(\.name.rawValue))
            #expect(onVirtual.isSuperset(of: ["virtual_device.get", "route.explain", "message.broadcast"]))
            for operation in operations {
                func problem(_ device: String) async throws -> OperationProblem? {
                    try await bench.problem(
                        operation.name, Self.input(operation, device: .string(device), session: "nothing"))
                }
                for device in ["attic", "virtual:attic", "real:attic", "real:hall", "virtual:wall", "real:nothing"] {
                    let unknown = try await problem(device)
                    #expect(unknown?.code == "unknown_device" || unknown?.code == "not_virtual", "\(operation.name)")
                    guard unknown?.code == "unknown_device" else { continue }
                    #expect(unknown?.detail == "there is no device '\(device)'", "\(operation.name)")
                }
                let isOnVirtual = onVirtual.contains(operation.name.rawValue)
                // Of a virtual and a real one of that name, only one can be meant.
                #expect((try await problem("office")?.code == "ambiguous_device") != isOnVirtual, "\(operation.name)")
                guard isOnVirtual else { continue }
                for device in ["wall", "real:wall"] {
                    #expect(try await problem(device)?.code == "not_virtual", "\(operation.name)")
                }
            }
        }
    }

    @Test func aVirtualDeviceGoesByItsIDToo() async throws {
        try await DeviceOperationsBench.with { bench in
            let id = try #require(bench.running.gateway.parts.virtualDevices.fleet.own("hall")?.deviceID)
            for text in [id, id.uppercased(), "virtual:\(id)"] {
                #expect(try await bench.call("virtual_device.get", ["device": .string(text)]).string("name") == "hall")
                let device = try await bench.call("device.get", ["device": .string(text)])
                #expect(device.object("virtual_device")?.string("name") == "hall")
                #expect(try await bench.call("volume.get", ["device": .string(text)]).string("device") == "hall")
            }
        }
    }
}
