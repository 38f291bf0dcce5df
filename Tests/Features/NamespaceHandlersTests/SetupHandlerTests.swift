import CastWire
import GatewayCore
import GatewayTesting
import Testing

@testable import NamespaceHandlers

@Suite struct SetupHandlerTests {
    /// Says who it is, and what it was asked.
    private struct Description: DeviceDescription {
        func deviceInformation(requestID: RequestID) -> JSONObject {
            ["type": "DEVICE_INFO", "requestId": requestID.json, "deviceId": "virtual"]
        }

        func setupInformation(params: [String]?) -> JSONObject {
            ["name": "Lobby", "params": .array((params ?? ["default"]).map(JSONValue.string))]
        }
    }

    private func bench(target: String?) throws -> RouterBench {
        try RouterBench.builtIn(device: DeviceFacts(name: "lobby", target: target, description: Description()))
    }

    @Test func aRelayAnswersWithItsOwnName() throws {
        let outcome = try self.bench(target: "tv").outcome(
            #"{"type":"eureka_info","request_id":4,"data":{"params":["name","multizone",3]}}"#, in: .setup)
        #expect(outcome.answer?.source == .platformReceiver)
        #expect(outcome.answer?.destination == "sender-7")
        #expect(
            outcome.answerJSON == [
                "type": "eureka_info", "request_id": 4, "response_code": 200, "response_string": "OK",
                "data": ["name": "Lobby", "params": ["name", "multizone"]],
            ])
    }

    @Test func withoutParamsTheUsualBlocksAreAnswered() throws {
        let outcome = try self.bench(target: "tv").outcome(#"{"type":"eureka_info","requestId":4}"#, in: .setup)
        #expect(
            outcome.answerJSON?.object("data")?.array("params") == ["version", "name", "device_info", "build_info"])
        #expect(outcome.answerJSON?["requestId"] == 4)
    }

    @Test func aRelayAnswersWithItsOwnID() throws {
        let outcome = try self.bench(target: "tv").outcome(
            #"{"type":"GET_DEVICE_INFO","requestId":3}"#, in: .discovery)
        #expect(outcome.answerJSON == ["type": "DEVICE_INFO", "requestId": 3, "deviceId": "virtual"])
    }

    @Test func nothingOfItReachesTheDevice() throws {
        let bench = try self.bench(target: "tv")
        let other = bench.outcome(#"{"type":"reboot","request_id":1}"#, in: .setup)
        #expect(other.answerJSON?.int("response_code") == 403)
        #expect(other.answerJSON?["request_id"] == 1)
        #expect(bench.outcome(#"{"type":"reboot"}"#, in: .setup) == .swallowed)
        #expect(bench.outcome(#"{"type":"X","requestId":2}"#, in: .discovery).answerJSON?.string("reason") != nil)
        #expect(bench.outcome(#"{"type":"GET_DEVICE_INFO"}"#, in: .discovery) == .swallowed)
        #expect(bench.outcome("hello", in: .setup) == .swallowed)
    }

    @Test(arguments: [Namespace.setup, .discovery])
    func theBuiltInReceiverAnswersForItself(namespace: Namespace) throws {
        let text = #"{ "type":"GET_DEVICE_INFO","requestId":3 }"#
        #expect(try self.bench(target: nil).outcome(text, in: namespace) == .forwarded(text))
    }

    @Test func conforms() {
        #expect(HandlerConformance(SetupHandler(), types: ["eureka_info", "GET_DEVICE_INFO"]).violations() == [])
    }
}
