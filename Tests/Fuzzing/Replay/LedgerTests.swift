import CastWire
import CastwayTestSupport
import GatewayCore
import Testing

@testable import FuzzTargets

/// What the checks of sequences are made of says no when it should.
@Suite struct LedgerTests {
    private let request = CastMessage.request("GET_STATUS", id: 7)

    private func answer(_ id: Int, from source: EndpointID = .platformReceiver, to end: EndpointID = "sender-0")
        -> CastMessage
    {
        .request("RECEIVER_STATUS", id: id, from: source, to: end)
    }

    @Test func anAnswerIsTakenOnce() throws {
        var ledger = ConversationLedger(channel: ConnectionID(rawValue: 1))
        ledger.said(self.request, .required)
        #expect(throws: Violation.self) { try ledger.settled() }
        try ledger.heard(self.answer(7), connectedTo: [.platformReceiver])
        try ledger.settled()
        #expect(throws: Violation.self) { try ledger.heard(self.answer(7), connectedTo: [.platformReceiver]) }
    }

    @Test func whatIsNotMeantForTheSenderIsNoticed() throws {
        var ledger = ConversationLedger(channel: ConnectionID(rawValue: 1))
        ledger.said(self.request, .required)
        let strays = [
            self.answer(8), self.answer(7, from: "web-1"), self.answer(0, to: "sender-9"), self.answer(7, from: "*"),
            self.answer(0, from: "web-1", to: "*"),
        ]
        for stray in strays {
            #expect(throws: Violation.self, "\(stray)") {
                var copy = ledger
                try copy.heard(stray, connectedTo: [.platformReceiver])
            }
        }
        try ledger.heard(self.answer(0, to: "*"), connectedTo: [.platformReceiver])
    }

    @Test func aSenderThatClosesWaitsNoLonger() throws {
        var ledger = ConversationLedger(channel: ConnectionID(rawValue: 1))
        ledger.said(self.request, .required)
        ledger.said(.close("sender-0"), .optional)
        try ledger.settled()
    }

    @Test func whatTheDeviceSaysToOneReachesOne() throws {
        var ledger = RelayLedger()
        ledger.said(self.request, on: 0, mustBeAnswered: true)
        #expect(throws: Violation.self) { try ledger.settled() }
        var relayed = self.request
        relayed.source = "sender-cw1"
        try ledger.deviceHeard(relayed)
        ledger.deviceSays(1, to: "sender-cw1")
        var answer = self.answer(7)
        answer.payload = .json(["type": "RECEIVER_STATUS", "requestId": 7, "mark": 1])
        #expect(throws: Violation.self) {
            var copy = ledger
            try copy.heard(answer, on: 1)
        }
        try ledger.heard(answer, on: 0)
        try ledger.settled()
        #expect(throws: Violation.self) { try ledger.heard(answer, on: 0) }
    }

    @Test func twoSendersWithOneIDAreNoticed() throws {
        var ledger = RelayLedger()
        for (channel, id) in [(0, 7), (1, 8)] {
            ledger.said(.request("GET_STATUS", id: id), on: channel, mustBeAnswered: false)
        }
        try ledger.deviceHeard(.request("GET_STATUS", id: 7, from: "sender-cw1"))
        #expect(throws: Violation.self) {
            try ledger.deviceHeard(.request("GET_STATUS", id: 8, from: "sender-cw1"))
        }
    }
}
