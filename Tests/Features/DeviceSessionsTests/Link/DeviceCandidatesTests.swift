import Testing

@testable import DeviceSessions

@Suite struct DeviceCandidatesTests {
    private static func at(_ number: Int) -> DeviceAddress { DeviceAddress(host: "192.0.2.\(number)", port: 8009) }
    private let one = at(1)
    private let two = at(2)
    private let three = at(3)

    private func round(_ candidates: inout DeviceCandidates) -> [DeviceAddress] {
        candidates.beginRound()
        var tried: [DeviceAddress] = []
        while let next = candidates.next() { tried.append(next) }
        return tried
    }

    @Test func eachIsTriedOnce() {
        var candidates = DeviceCandidates([self.one, self.two, self.one])
        #expect(self.round(&candidates) == [self.one, self.two])
        #expect(!candidates.hasUntried)
        #expect(self.round(&candidates) == [self.one, self.two])
    }

    @Test func theOneThatWorkedIsTriedFirst() {
        var candidates = DeviceCandidates([self.one, self.two])
        candidates.worked(self.two)
        #expect(self.round(&candidates) == [self.two, self.one])
    }

    @Test func whatIsNewComesBeforeTheOneThatWorked() {
        var candidates = DeviceCandidates([self.one])
        candidates.worked(self.one)
        var isNew = candidates.replace(with: [self.two, self.one])
        #expect(isNew)
        #expect(candidates.new == [self.two])
        #expect(self.round(&candidates) == [self.two, self.one])
        isNew = candidates.replace(with: [self.two, self.one])
        #expect(!isNew && candidates.new.isEmpty)
    }

    @Test func theOneThatWorkedOutlivesItsRecord() {
        var candidates = DeviceCandidates([self.one, self.two])
        candidates.worked(self.one)
        _ = candidates.replace(with: [])
        #expect(candidates.all == [self.one])
        _ = candidates.replace(with: [self.three])
        #expect(candidates.all == [self.three, self.one])
    }

    @Test func theOperatorKnowsBetter() {
        var candidates = DeviceCandidates([self.one])
        candidates.worked(self.one)
        candidates.move(to: [self.two])
        #expect(self.round(&candidates) == [self.two])
    }

    @Test func theListDoesNotGrowWithoutBound() {
        var candidates = DeviceCandidates((0..<100).map { Self.at($0) })
        #expect(candidates.all.count == DeviceCandidates.maximumCount)
        candidates.worked(Self.at(0))
        _ = candidates.replace(with: (100..<200).map { Self.at($0) })
        #expect(self.round(&candidates).count == DeviceCandidates.maximumCount)
    }
}
