import Glibc
import NIOCore

/// Sits on a listening channel and says what becomes of accepting.
final class AcceptWatch: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    /// No more descriptors, or no more memory for a socket.
    private static let shortages: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private let report: @Sendable (AcceptOutcome) -> Void

    init(report: @escaping @Sendable (AcceptOutcome) -> Void) {
        self.report = report
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.report(.accepted)
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? IOError, Self.shortages.contains(error.errnoCode) {
            self.report(.failed(reason: TransportError.text(of: error)))
        }
        context.fireErrorCaught(error)
    }
}
