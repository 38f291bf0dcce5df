import CastWire
import Testing

@testable import CastClient

@Suite struct SenderLinkStateTests {
    private static func waiter(
        _ id: RequestID?, alsoTakes: @escaping @Sendable (CastMessage) -> Bool = { _ in false }
    ) -> SenderLinkState.Waiter {
        SenderLinkState.Waiter(
            requestID: id, endpoint: .platformReceiver, namespace: .receiver, alsoTakes: alsoTakes)
    }

    private static func message(
        _ json: JSONObject, from source: EndpointID = .platformReceiver, in namespace: Namespace = .receiver
    ) -> CastMessage {
        CastMessage(source: source, destination: .platformSender, namespace: namespace, json: json)
    }

    private static func openState() -> SenderLinkState {
        var state = SenderLinkState()
        _ = state.becameReady()
        return state
    }

    @Test func anAnswerGoesToItsRequestAlone() throws {
        var state = Self.openState()
        let first = try state.wait(Self.waiter(1))
        let second = try state.wait(Self.waiter(2))
        let answer = Self.message(["requestId": 2])
        #expect(state.received(answer) == [.answer(waiter: second, answer)])
        #expect(state.received(answer) == [.publish(answer)])
        let isWaiting = state.gaveUp(first)
        #expect(isWaiting)
        let waitsAgain = state.gaveUp(first)
        #expect(!waitsAgain)
    }

    @Test func anAnswerOfSomebodyElseIsNone() throws {
        var state = Self.openState()
        _ = try state.wait(Self.waiter(1))
        let stranger = Self.message(["requestId": 1], from: "app-1")
        #expect(state.received(stranger) == [.publish(stranger)])
        let elsewhere = Self.message(["requestId": 1], in: .media)
        #expect(state.received(elsewhere) == [.publish(elsewhere)])
    }

    @Test func aMessageWithoutANumberMayDo() throws {
        var state = Self.openState()
        let id = try state.wait(Self.waiter(1) { PayloadSummary(peeking: $0.payload).type == "DONE" })
        let other = Self.message(["type": "NEWS", "requestId": 0])
        #expect(state.received(other) == [.publish(other)])
        let done = Self.message(["type": "DONE", "requestId": 0])
        #expect(state.received(done) == [.answer(waiter: id, done), .publish(done)])
    }

    @Test func aDeviceThatAsksItsUserGetsMoreTime() throws {
        var state = Self.openState()
        let id = try state.wait(Self.waiter(7))
        let asks = Self.message(LaunchStatus(.userPendingAuthorization, launchRequestID: 7).json)
        #expect(state.received(asks) == [.extend(waiter: id), .publish(asks)])
        // Once: a device that says so again and again holds nobody for ever.
        #expect(state.received(asks) == [.publish(asks)])
    }

    @Test func consentWithTheNumberOfTheLaunchIsNoAnswer() throws {
        var state = Self.openState()
        let id = try state.wait(Self.waiter(7))
        func consent(_ consent: LaunchStatus.State, named: Bool = true) -> CastMessage {
            var json: JSONObject = ["type": "LAUNCH_STATUS", "requestId": 7, "status": .string(consent.rawValue)]
            if named { json["launchRequestId"] = 7 }
            return Self.message(json)
        }
        let asks = consent(.userPendingAuthorization)
        #expect(state.received(asks) == [.extend(waiter: id), .publish(asks)])
        let allows = consent(.userAllowed, named: false)
        #expect(state.received(allows) == [.publish(allows)])
        let elsewhere = Self.message(LaunchStatus(.userNotAllowed, launchRequestID: 8).json)
        #expect(state.received(elsewhere) == [.publish(elsewhere)])
        let refuses = consent(.userNotAllowed)
        #expect(state.received(refuses) == [.answer(waiter: id, refuses), .publish(refuses)])
    }

    @Test func closeEndsTheWaitsForThatEnd() throws {
        var state = Self.openState()
        let isNew = state.opened(.platformReceiver)
        #expect(isNew)
        let isNewAgain = state.opened(.platformReceiver)
        #expect(!isNewAgain)
        let id = try state.wait(Self.waiter(1))
        let close = Self.message(["type": "CLOSE"], in: .connection)
        #expect(
            state.received(close) == [.fail(waiter: id, .connectionClosed(.platformReceiver)), .publish(close)])
        #expect(state.endpoints.isEmpty)
    }

    @Test func theEndOfTheChannelEndsEverythingOnce() throws {
        var state = Self.openState()
        let id = try state.wait(Self.waiter(1))
        let reason = SenderError.disconnected(reason: "gone")
        #expect(state.closed(reason) == [.fail(waiter: id, reason), .finish(reason)])
        #expect(state.closed(reason) == [])
        #expect(throws: reason) { try state.wait(Self.waiter(2)) }
    }
}
