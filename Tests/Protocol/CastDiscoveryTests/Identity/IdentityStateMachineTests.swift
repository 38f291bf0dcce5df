import CastWire
import NIOCore
import Testing

@testable import CastDiscovery

/// Asking a device which one it is.
@Suite struct IdentityStateMachineTests {
    private static let own = String(repeating: "a", count: 32)
    private static let other = String(repeating: "b", count: 32)
    private let now = NIODeadline.uptimeNanoseconds(1)

    private func message(_ json: JSONObject, _ namespace: Namespace, from source: EndpointID = .platformReceiver)
        -> CastMessage
    {
        CastMessage(source: source, destination: .platformSender, namespace: namespace, payload: .json(json))
    }

    private func info(_ id: String, type: String = "DEVICE_INFO", capabilities: Int? = 4101) -> CastMessage {
        var json: JSONObject = ["type": .string(type), "requestId": 1, "deviceId": .string(id)]
        json["deviceCapabilities"] = capabilities.map { .number($0) }
        return self.message(json, .discovery)
    }

    private func started(isGroup: Bool? = nil) throws -> IdentityStateMachine {
        let id = try #require(DeviceID(Self.own))
        var machine = IdentityStateMachine(ExpectedDevice(id: id, isGroup: isGroup))
        guard case .send(let messages, _) = machine.start(at: self.now) else {
            Issue.record("nothing is asked")
            return machine
        }
        #expect(
            messages.map { PayloadSummary(peeking: $0.payload).type } == ["CONNECT", "GET_DEVICE_INFO", "GET_STATUS"])
        return machine
    }

    @Test(arguments: ["DEVICE_INFO", "GET_DEVICE_INFO"], [own, own.uppercased()])
    func theRightDeviceIsConfirmed(type: String, id: String) throws {
        var machine = try self.started()
        #expect(machine.received(self.info(id, type: type), at: self.now) == .finish(.confirmed))
    }

    @Test func anotherDeviceIsNot() throws {
        var machine = try self.started(isGroup: false)
        let id = try #require(DeviceID(Self.other))
        #expect(machine.received(self.info(Self.other), at: self.now) == .finish(.other(id)))
        #expect(machine.received(self.info(Self.own), at: self.now) == .none)
    }

    /// A group answers with the id of its leader, and has members.
    @Test(arguments: [true, nil] as [Bool?])
    func theLeaderOfAGroupIsNoOtherDevice(isGroup: Bool?) throws {
        let id = try #require(DeviceID(Self.other))
        let member = MultizoneDevice(deviceID: Self.other, name: "", capabilities: 4, volume: ReceiverVolume(level: 1))
        for (members, outcome) in [([member], IdentityOutcome.leader(id)), ([], .other(id))] {
            var machine = try self.started(isGroup: isGroup)
            guard case .send(let questions, _) = machine.received(self.info(Self.other), at: self.now) else {
                Issue.record("the members are not asked for")
                return
            }
            #expect(questions.map(\.namespace) == [.multizone])
            let answer = self.message(MultizonePayload.status(devices: members).json, .multizone)
            #expect(machine.received(answer, at: self.now) == .finish(outcome))
        }
    }

    @Test func anotherGroupIsNotTheOneThatIsMeant() throws {
        var machine = try self.started(isGroup: true)
        let id = try #require(DeviceID(Self.other))
        #expect(machine.received(self.info(Self.other, capabilities: 36), at: self.now) == .finish(.other(id)))
    }

    @Test func aDeviceThatDoesNotKnowTheQuestionIsNotWaitedForLong() throws {
        var machine = try self.started()
        let status = self.message(["type": "RECEIVER_STATUS", "requestId": 2, "status": [:]], .receiver)
        #expect(machine.received(status, at: self.now) == .wait(until: self.now + .seconds(1)))
        #expect(machine.timerFired(at: self.now + .milliseconds(999)) == .none)
        #expect(machine.timerFired(at: self.now + .seconds(1)) == .finish(.silent))
    }

    @Test(
        arguments: [
            ["type": "DEVICE_INFO", "deviceId": .null], ["type": "DEVICE_INFO"], ["type": "INVALID_REQUEST"],
            ["type": "DEVICE_INFO", "deviceId": 7], ["type": "DEVICE_INFO", "deviceId": "§"],
        ] as [JSONObject])
    func whatNamesNoDeviceIsNoAnswer(json: JSONObject) throws {
        var machine = try self.started()
        #expect(machine.received(self.message(json, .discovery), at: self.now) == .none)
        #expect(
            machine.received(
                self.message(self.info(Self.own).payload.jsonObject ?? [:], .discovery, from: "web-1"), at: self.now)
                == .none)
        #expect(machine.timerFired(at: self.now + .seconds(5)) == .finish(.silent))
    }

    @Test func aDeviceThatHasSaidWhichOneItIsIsNotUsedWhenItDoesNot() throws {
        let expected = ExpectedDevice(id: try #require(DeviceID(Self.own)))
        #expect(IdentityOutcome.silent.refusal(of: expected, hasConfirmed: false) == nil)
        #expect(IdentityOutcome.silent.refusal(of: expected, hasConfirmed: true) != nil)
        #expect(IdentityOutcome.confirmed.refusal(of: expected, hasConfirmed: false) == nil)
        #expect(ExpectedDevice(name: Self.own) == expected)
        #expect(ExpectedDevice(name: "kitchen") == nil)
    }
}
