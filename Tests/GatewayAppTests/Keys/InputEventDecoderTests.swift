import NIOCore
import Testing

@testable import GatewayApp

/// Records of event devices, as the kernel writes them.
@Suite struct InputEventDecoderTests {
    /// A record of this machine's length.
    static func record(_ kind: UInt16, _ code: UInt16, _ value: Int32) -> ByteBuffer {
        var bytes = ByteBuffer(repeating: 0xAB, count: InputEventDecoder.timeLength)
        bytes.writeInteger(kind, endianness: .host)
        bytes.writeInteger(code, endianness: .host)
        bytes.writeInteger(value, endianness: .host)
        return bytes
    }

    /// Records one after the other.
    static func records(_ records: [(UInt16, UInt16, Int32)]) -> ByteBuffer {
        var bytes = ByteBuffer()
        for (kind, code, value) in records { bytes.writeImmutableBuffer(Self.record(kind, code, value)) }
        return bytes
    }

    private static func keys(_ records: [(UInt16, UInt16, Int32)]) -> [HostKey] {
        var decoder = InputEventDecoder()
        return decoder.read(Self.records(records)).map(\.key)
    }

    @Test func aRecordHasTheLengthOfTheMachine() {
        // struct input_event of linux/input.h.
        #expect(InputEventDecoder.recordLength == (MemoryLayout<Int>.size == 8 ? 24 : 16))
    }

    @Test func keysAreThoseOfTheKernel() {
        let codes: [(UInt16, HostKey)] = [
            (113, .mute), (114, .volumeDown), (115, .volumeUp), (128, .stop), (163, .next), (164, .playOrPause),
            (165, .previous), (166, .stop), (200, .play), (201, .pause), (207, .play), (407, .next), (412, .previous),
        ]
        for (code, key) in codes { #expect(Self.keys([(1, code, 1), (0, 0, 0)]) == [key]) }
        #expect(Self.keys([(1, 30, 1), (1, 0x110, 1), (2, 115, 1), (4, 4, 115), (1, 65535, 1)]) == [])
    }

    @Test func aPressCountsOnceAndVolumeAgain() {
        var decoder = InputEventDecoder()
        let presses = decoder.read(Self.records([(1, 115, 1), (1, 115, 2), (1, 115, 2), (1, 115, 0)]))
        #expect(presses.map(\.isRepeat) == [false, true, true] && Set(presses.map(\.key)) == [.volumeUp])
        #expect(Self.keys([(1, 113, 1), (1, 113, 2), (1, 113, 0), (1, 164, 2), (1, 115, 3), (1, 115, -1)]) == [.mute])
    }

    @Test func piecesArePutTogether() {
        var bytes = Self.records([(1, 115, 1), (0, 0, 0), (1, 114, 1)])
        var decoder = InputEventDecoder()
        var keys: [HostKey] = []
        while let piece = bytes.readSlice(length: min(5, max(1, bytes.readableBytes))) {
            keys += decoder.read(piece).map(\.key)
            if bytes.readableBytes == 0 { break }
        }
        #expect(keys == [.volumeUp, .volumeDown])
    }

    @Test func whatTheKernelLostIsLeftOut() {
        #expect(Self.keys([(1, 115, 1), (0, 3, 0), (1, 114, 1), (0, 0, 0), (1, 113, 1)]) == [.volumeUp, .mute])
    }

    @Test func anyBytesAreTaken() {
        var decoder = InputEventDecoder()
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...100, using: &generator)).map { _ in UInt8.random(in: 0...255) }
            let presses = decoder.read(ByteBuffer(bytes: bytes))
            #expect(presses.count <= bytes.count / 8)
        }
    }
}

/// What waits for a device while keys are pressed.
@Suite struct KeyPressesTests {
    private static func wishes(_ keys: HostKey..., step: Double = 0.05) -> [KeyPresses.Wish] {
        var presses = KeyPresses(step: step)
        for key in keys { presses.press(key) }
        var wishes: [KeyPresses.Wish] = []
        while let wish = presses.next() { wishes.append(wish) }
        return wishes
    }

    @Test func changesOfTheVolumeBecomeOne() {
        #expect(Self.wishes(.volumeUp, .volumeUp, .volumeUp, step: 0.25) == [.volume(by: 0.75)])
        #expect(Self.wishes(.volumeUp, .volumeDown) == [])
        #expect(Self.wishes(.volumeDown, .volumeDown, .volumeUp, step: 0.25) == [.volume(by: -0.25)])
        #expect(
            Self.wishes(.volumeUp, .volumeUp, .volumeUp, .volumeUp, .volumeUp, .volumeUp, step: 0.25)
                == [.volume(by: 1)])
    }

    @Test func whatIsBetweenKeepsItsPlace() {
        #expect(
            Self.wishes(.volumeUp, .mute, .volumeUp, .next, step: 0.25)
                == [.volume(by: 0.25), .mute, .volume(by: 0.25), .media(.next)])
        #expect(Self.wishes(.mute, .mute) == [])
        #expect(Self.wishes(.mute, .mute, .mute) == [.mute])
    }

    @Test func aFewWait() {
        var presses = KeyPresses(step: 0.05)
        for _ in 0..<100_000 { presses.press(.next) }
        var count = 0
        while presses.next() != nil { count += 1 }
        #expect(count == KeyPresses.limit)
    }
}
