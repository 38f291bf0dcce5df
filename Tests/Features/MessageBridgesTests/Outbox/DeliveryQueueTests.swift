import NIOCore
import Testing

@testable import MessageBridges

/// What is carried when, without disk, thread or clock.
@Suite struct DeliveryQueueTests {
    /// A queue with a clock, and what it had carried.
    private struct Bench {
        var queue: DeliveryQueue
        var now = NIODeadline.uptimeNanoseconds(1_000_000_000)
        /// Everything that was to be done, but for what is carried.
        var others: [DeliveryQueue.Action] = []
        /// What is under way.
        var underWay: [OutboxMessage] = []

        init(
            _ order: DeliveryOrder, retry: RetrySchedule = .short, age: Duration = .seconds(3600),
            bounds: DeliveryQueue.Bounds = .init()
        ) {
            self.queue = DeliveryQueue(
                DestinationSettings {
                    $0.order = order
                    $0.retry = retry
                    $0.age = age
                }, bounds: bounds, jitter: { 0 })
        }

        mutating func add(_ sequence: Int64, device: String? = nil, expires: Int64? = nil) {
            self.queue.append(Self.message(sequence, device: device, expires: expires))
            self.advance()
        }

        static func message(_ sequence: Int64, device: String? = nil, expires: Int64? = nil) -> OutboxMessage {
            OutboxMessage(
                sequence: sequence, id: "msg_\(sequence)", destination: "d", device: device, type: "t", takenAt: 0,
                body: ByteBuffer(string: "x"), expires: expires)
        }

        /// Lets time pass; without an amount as much as the queue waits for.
        mutating func advance(_ time: TimeAmount = .zero, wallClock: Int64 = 0) {
            self.now = self.now + time
            while true {
                let actions = self.queue.advance(to: self.now, wallClock: wallClock)
                if actions.isEmpty { return }
                for action in actions {
                    if case .carry(let message) = action {
                        self.underWay.append(message)
                    } else {
                        self.others.append(action)
                    }
                }
            }
        }

        /// Something comes of the oldest that is under way.
        @discardableResult
        mutating func settle(_ outcome: DeliveryOutcome) -> [DeliveryQueue.Action] {
            guard !self.underWay.isEmpty else {
                Issue.record("nothing is under way")
                return []
            }
            let actions = self.queue.settle(self.underWay.removeFirst(), outcome, at: self.now)
            self.others += actions
            self.advance()
            return actions
        }

        var sequences: [Int64] { self.underWay.map(\.sequence) }
    }

    @Test func oneOfADeviceAtATimeAndDevicesBesideEachOther() {
        var bench = Bench(.device(concurrency: 8, isStrict: false))
        bench.add(1, device: "hall")
        bench.add(2, device: "hall")
        bench.add(3, device: "bar")
        #expect(bench.sequences == [1, 3])
        bench.settle(.delivered)
        #expect(bench.sequences == [3, 2])
    }

    @Test func notMoreThanTheConcurrencyIsUnderWay() {
        var bench = Bench(.none(concurrency: 3))
        for sequence in 1...10 { bench.add(Int64(sequence)) }
        #expect(bench.sequences == [1, 2, 3])
        bench.settle(.delivered)
        #expect(bench.sequences == [2, 3, 4])
    }

    /// 5 seconds until the second attempt; the third lies beyond the 30 seconds for which a device is held back.
    @Test func aRefusedMessageHoldsItsDeviceBackAndIsParkedThen() {
        var bench = Bench(.device(concurrency: 8, isStrict: false), retry: RetrySchedule([.seconds(5), .seconds(300)]))
        bench.add(1, device: "hall")
        bench.add(2, device: "hall")
        guard case .retry(_, let first, false)? = bench.settle(.refused("500")).first else {
            Issue.record("not held back")
            return
        }
        #expect(first == .seconds(5))
        #expect(bench.sequences == [])
        #expect(bench.queue.nextInstant == bench.now + .seconds(5))
        bench.advance(.seconds(5))
        #expect(bench.sequences == [1])
        guard case .retry(let parked, .seconds(300), isParked: true)? = bench.settle(.refused("500")).first else {
            Issue.record("not parked")
            return
        }
        #expect(parked.attempts == 2)
        // What was behind it passes.
        #expect(bench.sequences == [2])
        bench.settle(.delivered)
        bench.advance(.seconds(300))
        #expect(bench.others.last == .loadParked)
        bench.queue.loadedParked([parked], next: nil)
        bench.advance()
        #expect(bench.sequences == [1])
        #expect(bench.settle(.refused("500")) == [.bury(parked.with(attempts: 3), reason: "500")])
    }

    /// As many parked messages as there is room for are under way, and more are due: nothing is read until one of them has ended.
    @Test func parkedMessagesAreReadWhenThereIsRoomForThem() {
        var bench = Bench(.none(concurrency: 2), retry: RetrySchedule([.seconds(1), .seconds(1)]))
        for sequence in 1...3 { bench.add(Int64(sequence)) }
        for _ in 0..<3 { bench.settle(.refused("no")) }
        bench.advance(.seconds(1))
        #expect(bench.others.last == .loadParked)
        let parked = (1...2).map { Bench.message(Int64($0)).with(attempts: 1) }
        bench.queue.loadedParked(parked, next: bench.now)
        bench.advance()
        #expect(bench.sequences == [1, 2])
        #expect(bench.queue.nextInstant == nil)
        bench.settle(.delivered)
        #expect(bench.others.last == .loadParked)
    }

    @Test func inStrictOrderNothingPassesUntilTheMessageIsGivenUp() {
        var bench = Bench(.device(concurrency: 8, isStrict: true), retry: RetrySchedule([.seconds(300)]))
        bench.add(1, device: "hall")
        bench.add(2, device: "hall")
        bench.settle(.refused("500"))
        bench.advance(.seconds(299))
        #expect(bench.sequences == [])
        bench.advance(.seconds(1))
        #expect(bench.sequences == [1])
        bench.settle(.refused("500"))
        #expect(bench.sequences == [2])
    }

    @Test func aDestinationThatIsOutOfReachIsProbedWithOneMessage() {
        var bench = Bench(.device(concurrency: 8, isStrict: false))
        for sequence in 1...4 { bench.add(Int64(sequence), device: "d\(sequence)") }
        #expect(bench.settle(.unavailable("refused")) == [.tellDown("refused")])
        // The others come back too, and nothing is told twice.
        for _ in 0..<3 { #expect(bench.settle(.unavailable("refused")) == []) }
        #expect(bench.sequences == [])
        bench.advance(.milliseconds(999))
        #expect(bench.sequences == [])
        bench.advance(.milliseconds(1))
        #expect(bench.sequences.count == 1)
        bench.settle(.unavailable("refused"))
        bench.advance(.milliseconds(1999))
        #expect(bench.sequences == [])
        bench.advance(.milliseconds(1))
        let probe = bench.settle(.delivered)
        #expect(probe.contains(.tellUp))
        #expect(bench.sequences.count == 3)
    }

    @Test func aDestinationIsLeftAloneAsLongAsItAsksFor() {
        var bench = Bench(.none(concurrency: 1))
        bench.add(1)
        bench.settle(.unavailable("429", retryAfter: .seconds(90)))
        bench.advance(.seconds(89))
        #expect(bench.sequences == [])
        bench.advance(.seconds(1))
        #expect(bench.sequences == [1])
    }

    @Test func aPipelineGoesOnInOrderAfterALoss() {
        var bench = Bench(.pipelined(window: 4))
        for sequence in 1...6 { bench.add(Int64(sequence)) }
        #expect(bench.sequences == [1, 2, 3, 4])
        bench.settle(.delivered)
        #expect(bench.sequences == [2, 3, 4, 5])
        for _ in 0..<4 { bench.settle(.unavailable("the connection is lost")) }
        bench.queue.resume()
        bench.advance()
        #expect(bench.sequences == [2])
        bench.settle(.delivered)
        #expect(bench.sequences == [3, 4, 5, 6])
    }

    /// It may be reachable again before everything has come back: nothing may pass what is still to come.
    @Test func nothingIsCarriedBeforeEverythingHasComeBack() {
        var bench = Bench(.pipelined(window: 2))
        bench.add(1)
        bench.add(2)
        bench.add(3)
        bench.settle(.unavailable("the connection is lost"))
        bench.queue.resume()
        bench.advance()
        #expect(bench.sequences == [2])
        bench.settle(.unavailable("the connection is lost"))
        bench.queue.resume()
        bench.advance()
        #expect(bench.sequences == [1])
    }

    @Test func aDestinationThatWantsNothingGetsNothingUntilItIsResumed() {
        var bench = Bench(.none(concurrency: 2))
        bench.add(1)
        bench.add(2)
        #expect(bench.settle(.gone("410")) == [.tellDisabled("410")])
        bench.settle(.delivered)
        bench.add(3)
        bench.advance(.hours(100))
        #expect(bench.sequences == [])
        #expect(bench.queue.nextInstant == nil)
        bench.queue.resume()
        bench.advance()
        #expect(bench.sequences == [1])
    }

    @Test func aMessageForAnAbsentAppHoldsBackItsDeviceAlone() {
        var bench = Bench(.device(concurrency: 8, isStrict: true))
        bench.add(1, device: "hall")
        bench.add(2, device: "bar")
        bench.settle(.absent("no app"))
        bench.settle(.delivered)
        #expect(bench.sequences == [])
        bench.queue.resume(device: "hall")
        bench.advance()
        #expect(bench.sequences == [1])
        #expect(bench.underWay.first?.attempts == 0)
        bench.settle(.absent("no app"))
        bench.advance(.seconds(30))
        #expect(bench.sequences == [1])
    }

    @Test func whatIsTooOldIsADeadLetter() {
        var bench = Bench(.none(concurrency: 1), age: .seconds(60))
        bench.add(1)
        bench.settle(.unavailable("down"))
        bench.queue.append(Bench.message(2, expires: 50_000))
        bench.advance(.seconds(1), wallClock: 60_001)
        #expect(bench.sequences == [])
        #expect(
            bench.others.suffix(2) == [
                .bury(Bench.message(1), reason: "too old"), .bury(Bench.message(2, expires: 50_000), reason: "too old"),
            ])
    }

    /// Beyond the bound of a lane messages stand in the database alone, and are read when their turn comes.
    @Test func whatDoesNotFitIntoMemoryIsReadLater() {
        var bench = Bench(.device(concurrency: 8, isStrict: false), bounds: DeliveryQueue.Bounds(laneCount: 256))
        for sequence in 1...300 { bench.add(Int64(sequence), device: "hall") }
        for _ in 0..<257 { bench.settle(.delivered) }
        #expect(bench.others.last == .load(lane: "hall", after: 257))
        bench.queue.loaded((258...300).map { Bench.message($0, device: "hall") }, in: "hall", hasMore: false)
        bench.advance()
        #expect(bench.sequences == [258])
    }
}

extension OutboxMessage {
    fileprivate func with(attempts: Int) -> OutboxMessage {
        var message = self
        message.attempts = attempts
        return message
    }
}
