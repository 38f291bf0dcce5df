import CastWire
import GatewayCore
import NIOCore
import Testing

@testable import GatewayJournal

/// What waits when more happens than the journal can number.
@Suite(.timeLimit(.minutes(1))) struct JournalInboxTests {
    private struct Silent: DeviceDescription {
        func deviceInformation(requestID: RequestID) -> JSONObject { [:] }
        func setupInformation(params: [String]?) -> JSONObject { [:] }
    }

    private static let session = CastSessionFacts(number: 3, device: "wall", appID: "CC1AD845", state: .connected)
    private static let hall = DeviceFacts(name: "hall", target: "wall", description: Silent())

    private static func log(_ number: Int) -> GatewayEvent {
        .senderThrottled(device: "hall", address: "192.0.2.1", count: number)
    }

    private static func media(_ text: String) -> RecordedEvent {
        .status(
            CastMessage(source: "t", destination: "*", namespace: .media, payload: .text(text)), device: Self.hall)
    }

    /// An inbox in which log events are lost from now on.
    private static func full(limit: Int = 2048) -> JournalInbox {
        var inbox = JournalInbox(limit: limit)
        for number in 1...(limit / 512) {
            _ = inbox.append(.event(Self.log(number)), cause: nil, at: 0, .uptimeNanoseconds(0))
        }
        return inbox
    }

    /// What is told of it, in short.
    private static func told(_ inbox: inout JournalInbox) -> [String] {
        var encoder = EventEncoder(boot: "b1")
        return encoder.encode(inbox.takeAll(), at: .uptimeNanoseconds(0)).map { event in
            if case .loss = event.kind { return "lost \(event.lossCount)" }
            return event.topic.type
        }
    }

    @Test func whatEndsAResourceStaysBehindWhatWasToldOfIt() {
        var inbox = Self.full(limit: 16 << 10)
        _ = inbox.append(.event(.castSession(Self.session, .didStart)), cause: nil, at: 0, .uptimeNanoseconds(0))
        _ = inbox.append(
            .event(.castMedia(Self.session, .status(["mediaSessionId": 1]))), cause: nil, at: 0, .uptimeNanoseconds(0))
        _ = inbox.append(.event(.castSession(Self.session, .didEnd(nil))), cause: nil, at: 0, .uptimeNanoseconds(0))
        #expect(
            Self.told(&inbox).suffix(4) == [
                "media.session_status", "lost 1", "media.session_status", "session.did_end",
            ])
    }

    @Test func aMessageThatIsNoStatusTakesThePlaceOfNone() {
        var inbox = Self.full()
        _ = inbox.append(
            Self.media(#"{"type":"MEDIA_STATUS","status":[{"mediaSessionId":1}]}"#), cause: nil, at: 0,
            .uptimeNanoseconds(0))
        _ = inbox.append(Self.media(#"{"type":"LOAD_FAILED","requestId":4}"#), cause: nil, at: 0, .uptimeNanoseconds(0))
        #expect(Self.told(&inbox).suffix(2) == ["media.status", "lost 1"])
    }

    @Test func aResourceThatChangesForEverTakesOnePlace() {
        var inbox = Self.full(limit: 16 << 10)
        for number in 1...10_000 {
            _ = inbox.append(
                .event(.receiverStatus(device: "hall", status: ["number": .number(number)])), cause: nil, at: 0,
                .uptimeNanoseconds(0))
            if number.isMultiple(of: 3) {
                _ = inbox.append(.event(Self.log(number)), cause: nil, at: 0, .uptimeNanoseconds(0))
            }
        }
        #expect(inbox.items.count < 300)
        #expect(inbox.bytes <= 32 << 10)
        let told = Self.told(&inbox)
        #expect(told.count == 34)
        #expect(told.suffix(2) == ["lost 13332", "receiver.status"])
    }

    @Test func whatIsLargeTakesTheRoomThatItTakes() {
        var inbox = JournalInbox(limit: 1 << 20)
        let text = JSONValue.string(String(repeating: "x", count: 100_000))
        for _ in 1...100 {
            _ = inbox.append(
                .event(.custom(name: "quiz.round", data: ["a": [text]])), cause: nil, at: 0, .uptimeNanoseconds(0))
        }
        #expect(Self.told(&inbox).map { $0 } == Array(repeating: "quiz.round", count: 10) + ["lost 90"])
    }

    @Test func endsHaveRoomWhenStatesHaveNone() {
        var inbox = Self.full(limit: 16 << 10)
        for number in 1...100 {
            _ = inbox.append(
                .event(.receiverStatus(device: "room-\(number)", status: ["a": 1])), cause: nil, at: 0,
                .uptimeNanoseconds(0))
        }
        _ = inbox.append(.event(.virtualDeviceRemoved(device: "hall")), cause: nil, at: 0, .uptimeNanoseconds(0))
        #expect(Self.told(&inbox).last == "virtual_device.removed")
    }
}
