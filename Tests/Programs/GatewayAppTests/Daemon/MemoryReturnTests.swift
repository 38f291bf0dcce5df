import Testing

@testable import GatewayApp

@Suite struct MemoryReturnTests {
    private static func sample(resident: Int, inUse: Int) -> MemorySample {
        MemorySample(resident: resident << 20, inUse: inUse << 20)
    }

    @Test func whatAFloodLeftIsHandedBackWhenItIsQuiet() {
        var memory = MemoryReturn(at: Self.sample(resident: 10, inUse: 6))
        func look(_ resident: Int, _ inUse: Int) -> Bool {
            memory.look(Self.sample(resident: resident, inUse: inUse))
        }
        #expect(!look(10, 6))
        // The flood comes, stands, and goes.
        #expect(!look(100, 95))
        #expect(!look(100, 95))
        #expect(!look(100, 9))
        #expect(look(100, 8))
        memory.handedBack(Self.sample(resident: 15, inUse: 8))
        #expect(!look(15, 8))
        #expect(!look(22, 8))
        #expect(look(40, 8))
    }

    @Test func whatStaysIsNotTriedAgainAndAgain() {
        var memory = MemoryReturn(at: Self.sample(resident: 10, inUse: 6))
        func look(_ resident: Int, _ inUse: Int) -> Bool {
            memory.look(Self.sample(resident: resident, inUse: inUse))
        }
        _ = look(80, 8)
        #expect(look(80, 8))
        memory.handedBack(Self.sample(resident: 79, inUse: 8))
        for _ in 0..<9 { #expect(!look(80, 8)) }
    }

    @Test func whileMuchIsAllocatedAndFreedNothingIsHandedBack() {
        var memory = MemoryReturn(at: Self.sample(resident: 10, inUse: 6))
        func look(_ resident: Int, _ inUse: Int) -> Bool {
            memory.look(Self.sample(resident: resident, inUse: inUse))
        }
        for turn in 0..<9 { #expect(!look(120, turn % 2 == 0 ? 20 : 60)) }
    }

    @Test func theSystemTells() throws {
        let sample = try #require(MemorySample.current)
        #expect(sample.resident > 1 << 20 && sample.resident < 1 << 36)
        #expect(sample.inUse > 1 << 16 && sample.inUse < 1 << 36)
        let block = [UInt8](repeating: 1, count: 64 << 20)
        let larger = try #require(MemorySample.current)
        #expect(larger.resident - sample.resident > 48 << 20)
        #expect(larger.inUse - sample.inUse > 48 << 20)
        withExtendedLifetime(block) {}
        MemorySample.handBack()
    }
}
