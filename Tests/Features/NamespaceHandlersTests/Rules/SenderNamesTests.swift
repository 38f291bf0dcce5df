import CastWire
import GatewayConfig
import GatewayCore
import GatewayTesting
import NIOCore
import Testing

@testable import NamespaceHandlers

/// What senders call themselves, as rules see it.
@Suite struct SenderNamesTests {
    private static func names(_ members: String) -> SenderNames {
        SenderNames(.test("{\"type\":\"CONNECT\"\(members)}", in: .connection))
    }

    @Test func theNamesOfSoftwareAndModel() {
        #expect(Self.names("") == .none)
        #expect(Self.names(#","userAgent":"PyChromecast","senderInfo":{}"#) == .known(["PyChromecast"]))
        #expect(Self.names(#","userAgent":null,"senderInfo":{"model":"Pixel 9"}"#) == .known(["Pixel 9"]))
        #expect(Self.names(#","userAgent":"A","senderInfo":{"model":"B"}"#) == .known(["A", "B"]))
        #expect(Self.names(#","userAgent":"","senderInfo":null"#) == .none)
    }

    @Test(arguments: [
        #","userAgent":5"#, #","userAgent":["A"]"#, #","userAgent":"A","userAgent":"B""#, #","userAgent":"A\u0000""#,
        #","senderInfo":"A""#, #","senderInfo":{"model":5}"#, #","senderInfo":{"model":"A","model":"A"}"#,
        #","userAgent":"\#(String(repeating: "x", count: 257))""#,
    ])
    func whatCannotBeReadIsUnclear(members: String) {
        guard case .unclear = Self.names(members) else {
            Issue.record("\(Self.names(members))")
            return
        }
    }

    private func isHit(
        _ condition: RoutingCondition, by connect: String?, plugin: String? = nil, connection: UInt64? = 1
    ) throws -> Bool {
        let rule = RoutingRule(name: "r", condition: condition, action: .reject)
        let bench = try RouterBench([RoutingRulesHandler(rules: [rule])])
        bench.output.connects[ConnectionID(rawValue: 1)] = connect.map { .test($0, in: .connection) }
        bench.router.route(
            RoutedMessage(
                .test("{}"), direction: .toReceiver, device: bench.device,
                connection: connection.map(ConnectionID.init(rawValue:)), origin: plugin.map { MessageOrigin($0) }))
        return bench.output.forwarded.isEmpty
    }

    @Test func rulesGoByThem() throws {
        let python = #"{"type":"CONNECT","userAgent":"PyChromecast"}"#
        let phone = #"{"type":"CONNECT","userAgent":"CastSDK/1","senderInfo":{"model":"Pixel 9"}}"#
        let pixels = RoutingCondition(senderName: ["Pixel *"])
        let others = RoutingCondition(notSenderName: ["Pixel *", "VLC"])
        #expect(try self.isHit(pixels, by: phone) && !self.isHit(pixels, by: python))
        #expect(try !self.isHit(others, by: phone) && self.isHit(others, by: python))
        for condition in [pixels, others] {
            // A sender that says nothing, a plugin, and what comes from no sender have no name.
            #expect(try !self.isHit(condition, by: #"{"type":"CONNECT"}"#))
            #expect(try !self.isHit(condition, by: nil, plugin: "quiz"))
            #expect(try !self.isHit(condition, by: nil, connection: nil))
            // What it says cannot be read, or is not known any more.
            #expect(try self.isHit(condition, by: #"{"type":"CONNECT","userAgent":5}"#))
            #expect(try self.isHit(condition, by: nil))
        }
    }

    @Test func whatCannotBeReadIsNotAllowed() throws {
        let bench = try RouterBench([
            RoutingRulesHandler(rules: [
                RoutingRule(name: "phones", condition: RoutingCondition(senderName: ["*"]), action: .allow),
                RoutingRule(name: "none", condition: RoutingCondition(device: ["test"]), action: .reject),
            ])
        ])
        for (connect, passes) in [
            (#"{"type":"CONNECT","userAgent":"A"}"#, true), (#"{"type":"CONNECT","userAgent":5}"#, false),
            (#"{"type":"CONNECT"}"#, false),
        ] {
            bench.output.steps = []
            bench.output.connects[ConnectionID(rawValue: 1)] = .test(connect, in: .connection)
            bench.route("{}")
            #expect(bench.output.forwarded.isEmpty != passes, "\(connect)")
        }
    }
}
