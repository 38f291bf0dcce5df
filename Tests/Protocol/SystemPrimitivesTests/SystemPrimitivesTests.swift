import Glibc
import NIOCore
import NIOEmbedded
import SystemPrimitives
import Testing

@Suite struct UnixSocketAddressTests {
    @Test func aPathEndsWithANUL() throws {
        let address = try #require(UnixSocketAddress(path: "/run/a"))
        let name = address.withAddress { address, length in
            Array(UnsafeRawBufferPointer(start: address, count: Int(length)).dropFirst(MemoryLayout<sa_family_t>.size))
        }
        #expect(name == Array("/run/a".utf8) + [0])
    }

    @Test func anAbstractNameBeginsWithOne() throws {
        let address = try #require(UnixSocketAddress(abstractName: "ab"))
        let name = address.withAddress { address, length in
            Array(UnsafeRawBufferPointer(start: address, count: Int(length)).dropFirst(MemoryLayout<sa_family_t>.size))
        }
        #expect(name == [0] + Array("ab".utf8))
    }

    @Test func whatDoesNotFitIsRefused() {
        #expect(UnixSocketAddress.maximumPathLength == 107)
        #expect(UnixSocketAddress(path: String(repeating: "a", count: 107)) != nil)
        #expect(UnixSocketAddress(path: String(repeating: "a", count: 108)) == nil)
        #expect(UnixSocketAddress(path: "") == nil && UnixSocketAddress(path: "a\0b") == nil)
        #expect(UnixSocketAddress(abstractName: String(repeating: "a", count: 108)) == nil)
        #expect(UnixSocketAddress.connect(to: String(repeating: "a", count: 108)) == nil && errno == ENAMETOOLONG)
    }
}

@Suite struct DurationUnitsTests {
    @Test func partsAreCutOff() {
        let time = Duration.seconds(3) + .nanoseconds(4_999_999)
        #expect(time.wholeMilliseconds == 3_004 && time.wholeMicroseconds == 3_004_999)
        #expect(Duration.milliseconds(-1_500).wholeMilliseconds == -1_500)
        #expect(Duration.milliseconds(1_500).inSeconds == 1.5)
    }

    @Test func whatIsTooLongIsTheLongest() {
        #expect(Duration.seconds(Int64.max).wholeMilliseconds == .max)
        #expect(Duration.seconds(Int64.min).wholeMicroseconds == .min)
    }
}

@Suite struct TimedPromiseTests {
    @Test func aPromiseThatStaysOpenExpires() throws {
        let loop = EmbeddedEventLoop()
        let promise = loop.makePromise(of: Int.self, within: .seconds(2)) { $0.succeed(7) }
        var value: Int?
        promise.futureResult.assumeIsolated().whenSuccess { value = $0 }
        loop.advanceTime(by: .seconds(1))
        #expect(value == nil)
        loop.advanceTime(by: .seconds(1))
        #expect(value == 7)
    }

    @Test func theTimerEndsWithThePromise() throws {
        let loop = EmbeddedEventLoop()
        let expired = NIOLoopBoundBox(false, eventLoop: loop)
        let promise = loop.makePromise(of: Int.self, within: .seconds(2)) { promise in
            expired.value = true
            promise.succeed(0)
        }
        promise.succeed(1)
        loop.advanceTime(by: .seconds(3))
        #expect(!expired.value)
    }
}
