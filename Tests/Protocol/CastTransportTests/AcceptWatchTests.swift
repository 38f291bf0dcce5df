import CastTransport
import Glibc
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@Suite struct AcceptWatchTests {
    private static let shortage = IOError(errnoCode: EMFILE, reason: "accept")

    /// How many failures a listener has told of.
    private final class Failures: Sendable {
        private let number = Mutex(0)

        var count: Int { self.number.withLock { $0 } }

        func note(_ outcome: AcceptOutcome) {
            if case .failed = outcome { self.number.withLock { $0 += 1 } }
        }
    }

    @Test func withoutAReserveAShortageIsTold() {
        let failures = Failures()
        let channel = EmbeddedChannel(handler: AcceptWatch(report: { failures.note($0) }))
        channel.pipeline.fireErrorCaught(Self.shortage)
        #expect(failures.count == 1)
        _ = try? channel.finish()
    }

    /// What is given back serves one connection; the next shortage is one.
    @Test func theReserveServesOneConnection() {
        let failures = Failures()
        let reserve = DescriptorReserve()
        #expect(reserve.isHeld)
        let channel = EmbeddedChannel(handler: AcceptWatch(report: { failures.note($0) }, reserve: reserve))
        channel.pipeline.fireErrorCaught(Self.shortage)
        #expect(!reserve.isHeld)
        #expect(failures.count == 0)
        let accepted = EmbeddedChannel()
        channel.pipeline.fireChannelRead(accepted as any Channel)
        channel.pipeline.fireErrorCaught(Self.shortage)
        #expect(failures.count == 1)
        _ = try? accepted.finish()
        accepted.embeddedEventLoop.run()
        // The connection has ended, so another may come.
        #expect(reserve.isHeld)
        _ = try? channel.finish()
    }
}
