import CastwayTestSupport
import GatewayCore
import Logging
import NIOCore
import Testing

@testable import VirtualDevices

@Suite struct RefusalLogTests {
    @Test func anAddressIsNoticedOnceAMinuteWithACount() async {
        let log = LogRecorder()
        let events = EventBus()
        let subscription = events.subscribe()
        let refusals = RefusalLog(device: "hall", events: events, logger: log.logger())
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        for _ in 0..<1000 { refusals.note(address: "192.0.2.7", reason: "too many", at: start) }
        refusals.note(address: "192.0.2.8", reason: "too many", at: start)
        #expect(
            log.entries(atLeast: .notice).map { $0.metadata["count"] } == [
                .stringConvertible(1), .stringConvertible(1),
            ])
        refusals.note(address: "192.0.2.7", reason: "too many", at: start + .minutes(1))
        #expect(log.entries(atLeast: .notice).last?.metadata["count"] == .stringConvertible(1000))
        var heard: [GatewayEvent] = []
        for await event in subscription.events {
            heard.append(event)
            if heard.count == 3 { break }
        }
        #expect(
            heard.last == .senderRefused(device: "hall", address: "192.0.2.7", reason: "too many", count: 1000))
    }
}
