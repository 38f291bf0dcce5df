import Testing

@testable import MediaRelay

/// Which datagrams pass, and what is counted of those that do not.
@Suite struct MediaFlowTests {
    private let start = ContinuousClock.now

    private func endpoint(_ host: String, _ port: Int) throws -> MediaEndpoint {
        try #require(MediaEndpoint(host: host, port: port))
    }

    private func flow(port: Int = 0) throws -> MediaFlow {
        MediaFlow(sender: try self.endpoint("192.0.2.7", port), idleTime: .seconds(60), at: self.start)
    }

    @Test func theFirstDatagramOfTheSenderFixesItsPort() throws {
        var flow = try self.flow()
        let (mine, other) = (try self.endpoint("192.0.2.7", 5000), try self.endpoint("192.0.2.7", 5001))
        #expect(flow.answersTo == nil)
        let first = flow.admits(from: mine, length: 100, isCut: false)
        #expect(first && flow.answersTo == mine)
        let second = flow.admits(from: other, length: 100, isCut: false)
        #expect(!second && flow.answersTo == mine)
        let third = flow.admits(from: mine, length: 100, isCut: false)
        #expect(third)
        #expect(flow.counts.drops == [.foreignPort: 1])
    }

    @Test func otherAddressesChangeNothing() throws {
        var flow = try self.flow()
        for host in ["192.0.2.8", "::1", "::ffff:192.0.2.8"] {
            let passed = flow.admits(from: try self.endpoint(host, 5000), length: 100, isCut: false)
            #expect(!passed)
        }
        let unreadable = flow.admits(from: nil, length: 100, isCut: false)
        #expect(!unreadable && flow.answersTo == nil)
        #expect(flow.counts.drops == [.foreignAddress: 4])
        let mapped = flow.admits(from: try self.endpoint("::ffff:192.0.2.7", 9), length: 1, isCut: false)
        #expect(mapped)
    }

    @Test func whatIsEmptyOrTooLargePassesNeitherWayAndFixesNothing() throws {
        var flow = try self.flow()
        let mine = try self.endpoint("192.0.2.7", 5000)
        let (empty, cut) = (
            flow.admits(from: mine, length: 0, isCut: false), flow.admits(from: mine, length: 2048, isCut: true)
        )
        #expect(!empty && !cut && flow.answersTo == nil)
        let (emptyAnswer, cutAnswer) = (
            flow.admitsAnswer(length: 0, isCut: false), flow.admitsAnswer(length: 2048, isCut: true)
        )
        #expect(!emptyAnswer && !cutAnswer)
        #expect(flow.counts.drops == [.empty: 2, .tooLarge: 2])
    }

    @Test func theDeviceHasToWaitForTheSender() throws {
        var flow = try self.flow()
        let early = flow.admitsAnswer(length: 10, isCut: false)
        #expect(!early && flow.counts.drops == [.early: 1])
        _ = flow.admits(from: try self.endpoint("192.0.2.7", 5000), length: 10, isCut: false)
        let later = flow.admitsAnswer(length: 10, isCut: false)
        #expect(later)
    }

    @Test func aPortThatIsKnownNeedNotBeLearned() throws {
        var flow = try self.flow(port: 5000)
        let answer = flow.admitsAnswer(length: 10, isCut: false)
        let other = flow.admits(from: try self.endpoint("192.0.2.7", 5001), length: 10, isCut: false)
        #expect(answer && !other)
    }

    @Test func aFlowIsIdleWhenNothingPassed() throws {
        var flow = try self.flow()
        #expect(!flow.isIdle(at: self.start + .seconds(59)) && flow.isIdle(at: self.start + .seconds(60)))
        flow.passing(.toSender, packets: 1, bytes: 10, at: self.start + .seconds(50))
        #expect(!flow.isIdle(at: self.start + .seconds(109)) && flow.isIdle(at: self.start + .seconds(110)))
        // A datagram that does not pass keeps nothing alive.
        _ = flow.admits(from: try self.endpoint("192.0.2.8", 5000), length: 100, isCut: false)
        #expect(flow.isIdle(at: self.start + .seconds(110)))
    }

    @Test func whatWasSentIsCounted() throws {
        var flow = try self.flow()
        flow.passing(.toDevice, packets: 13, bytes: 1300, at: self.start)
        flow.lost(SendLosses(bytes: 1000, unreachable: 1, tooLarge: 2, full: 3, failed: 4), .toDevice)
        flow.overflowed(5)
        #expect(flow.counts.packets == [.toDevice: 3] && flow.counts.bytes == [.toDevice: 300])
        #expect(
            flow.counts.drops == [.unreachable: 1, .tooLarge: 2, .full: 3, .failed: 4, .overflow: 5])
        #expect(flow.counts.dropCount == 15 && flow.counts.packetCount == 3 && flow.counts.byteCount == 300)
        let sum = flow.counts + flow.counts
        #expect(sum.packets == [.toDevice: 6] && sum.drops[.failed] == 8)
    }
}
