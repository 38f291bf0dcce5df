import CastWire
import CastwayTestSupport
import GatewayCore
import Testing

@testable import DeviceSessions

@Suite struct PendingRequestsTests {
    private final class Owner {}
    private let owner = Owner()
    private var pending = PendingRequests()

    private func sender(_ connection: UInt64, _ end: EndpointID = "sender-0") -> SenderEnd {
        SenderEnd(
            relay: ObjectIdentifier(self.owner), connection: ConnectionID(rawValue: connection), end: end)
    }

    /// Gives the number of the request that goes for it.
    @discardableResult
    private mutating func send(_ message: CastMessage, from sender: SenderEnd) -> RequestID? {
        self.pending.sent(message, PayloadSummary(peeking: message.payload), from: sender)?.request.summary.requestID
    }

    @Test mutating func whatIsNotAnsweredIsLeftInOrder() {
        for id in 1...5 { self.send(.request("GET_STATUS", id: id), from: self.sender(1)) }
        self.pending.answered(.status(.idle, id: 3), to: self.sender(1))
        let left = self.pending.takeAll()
        #expect(left.map(\.request.summary.requestID) == [1, 2, 4, 5])
        #expect(left.allSatisfy { $0.sender == self.sender(1) })
        #expect(self.pending.takeAll().isEmpty)
    }

    @Test mutating func onlyTheRightAnswerCounts() {
        self.send(.request("GET_STATUS", id: 1), from: self.sender(1))
        self.pending.answered(.status(.idle, id: 1), to: self.sender(2))
        self.pending.answered(.status(.idle, id: 1), to: self.sender(1, "sender-1"))
        self.pending.answered(.request("MULTIZONE_STATUS", id: 1, in: .multizone), to: self.sender(1))
        self.pending.answered(.status(.idle), to: self.sender(1))
        #expect(self.pending.takeAll().count == 1)
    }

    @Test mutating func equalIdsInTwoNamespacesAreTwoRequests() {
        self.send(.request("GET_STATUS", id: 1), from: self.sender(1))
        self.send(.request("GET_STATUS", id: 1, in: .multizone), from: self.sender(1))
        #expect(self.pending.takeAll().count == 2)
    }

    @Test mutating func whoDoesNotWaitIsNotRecorded() {
        self.send(.request("GET_STATUS", id: 0), from: self.sender(1))
        self.send(
            CastMessage(source: "sender-0", destination: "receiver-0", namespace: .receiver, json: ["type": "STOP"]),
            from: self.sender(1))
        self.send(
            CastMessage(source: "sender-0", destination: "receiver-0", namespace: .receiver, payload: .text("no JSON")),
            from: self.sender(1))
        #expect(self.pending.takeAll().isEmpty)
    }

    @Test mutating func whoLeavesIsForgotten() {
        self.send(.request("GET_STATUS", id: 1), from: self.sender(1))
        self.send(.request("GET_STATUS", id: 1, from: "sender-1"), from: self.sender(1, "sender-1"))
        self.send(.request("GET_STATUS", id: 1), from: self.sender(2))
        self.pending.forget(self.sender(1, "sender-1"))
        self.pending.forget(ConnectionID(rawValue: 2), of: ObjectIdentifier(self.owner))
        #expect(self.pending.takeAll().map(\.sender) == [self.sender(1)])
    }

    @Test mutating func whoHasHadItsShareLosesItsOwnOldest() {
        self.send(.request("GET_STATUS", id: 1), from: self.sender(2))
        for id in 101...164 {
            let end: EndpointID = id % 2 == 0 ? "sender-0" : "sender-1"
            let lost = self.send(.request("GET_STATUS", id: id, from: end), from: self.sender(1, end))
            #expect(lost == nil)
        }
        for id in 165...200 {
            let lost = self.send(.request("GET_STATUS", id: id), from: self.sender(1))
            #expect(lost == RequestID(id - 64))
        }
        let left = self.pending.takeAll().map(\.request.summary.requestID)
        #expect(left == [1] + (137...200).map { RequestID($0) })
    }

    @Test mutating func ofTooManySendersTheOldestRequestGoes() {
        var lost: [RequestID] = []
        for sender in 1...20 {
            for id in 1...32 {
                let number = sender * 100 + id
                if let id = self.send(.request("GET_STATUS", id: number), from: self.sender(UInt64(sender))) {
                    lost.append(id)
                }
            }
        }
        #expect(self.pending.count == 512)
        #expect(lost == (1...4).flatMap { sender in (1...32).map { RequestID(sender * 100 + $0) } })
    }

    /// What came in together with a request is not kept alive by it.
    @Test mutating func onlyThePayloadThatAnAnswerNeedsIsKept() {
        self.send(.request("SET_VOLUME", id: 1), from: self.sender(1))
        let question = CastMessage(
            source: "sender-0", destination: "receiver-0", namespace: .receiver,
            json: ["type": "GET_APP_AVAILABILITY", "requestId": 2, "appId": ["CC1AD845"]])
        self.send(question, from: self.sender(1))
        #expect(self.pending.takeAll().map(\.request.message.payload) == [.text(""), question.payload])
    }

    @Test mutating func anAnswerToAllIsAnAnswerToWhoeverAsked() {
        self.send(.request("SET_VOLUME", id: 77), from: self.sender(1))
        self.send(.request("SET_VOLUME", id: 78), from: self.sender(1))
        self.send(.request("GET_STATUS", id: 77, in: .multizone), from: self.sender(1))
        self.pending.answeredToAll(.status(.idle, id: 77))
        let left = self.pending.takeAll()
        #expect(left.map(\.request.summary.requestID) == [78, 77])
        #expect(left.map(\.request.message.namespace) == [.receiver, .multizone])
    }

    // MARK: Apps

    private func media(_ id: Int, at transport: EndpointID = "web-1") -> CastMessage {
        CastMessage(
            source: "sender-0", destination: transport, namespace: .media,
            json: ["type": "LOAD", "requestId": .number(id), "media": ["contentId": "http://192.0.2.1/a.mp4"]])
    }

    @Test mutating func anAppsRequestIsKeptWithoutItsPayload() {
        self.send(self.media(1), from: self.sender(1))
        self.send(self.media(1, at: "web-2"), from: self.sender(1))
        self.send(self.media(2), from: self.sender(1))
        self.pending.answered(self.media(1).reply(json: ["type": "MEDIA_STATUS", "requestId": 1]), to: self.sender(1))
        var toAll = self.media(2).reply(json: ["type": "MEDIA_STATUS", "requestId": 2])
        toAll.destination = .broadcast
        self.pending.answeredToAll(toAll)
        let left = self.pending.takeAll()
        #expect(left.map(\.request.message.destination) == ["web-2"])
        #expect(left.map(\.request.summary.type) == ["LOAD"])
        #expect(left.first?.request.message.payload == .text(""))
    }

    @Test mutating func whoLeavesTheAppWaitsForItNoMore() {
        self.send(self.media(1), from: self.sender(1))
        self.send(.request("GET_STATUS", id: 2), from: self.sender(1))
        self.pending.forget(self.sender(1), at: "web-1")
        #expect(self.pending.takeAll().map(\.request.summary.type) == ["GET_STATUS"])
    }

    /// An app that never answers costs no memory, and takes no room from the platform.
    @Test mutating func theOldestOfAnAppThatNeverAnswersAreForgotten() {
        self.send(.request("GET_STATUS", id: 1), from: self.sender(1))
        for id in 2...10_000 { self.send(self.media(id), from: self.sender(1)) }
        #expect(self.pending.count <= 513)
        let left = self.pending.takeAll().map(\.request.summary.requestID)
        #expect(left.first == RequestID(1))
        #expect(left.last == RequestID(10_000))
    }
}
