import NIOCore

/// Reads what the launcher reports.
final class LauncherLineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The launcher is our own and says a dozen lines; whatever is longer is not it.
    private static let limit = 65_536

    private let onReport: @Sendable (LauncherReport) -> Void
    private var pending = ByteBuffer()

    init(onReport: @escaping @Sendable (LauncherReport) -> Void) {
        self.onReport = onReport
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        self.pending.writeBuffer(&bytes)
        while let end = self.pending.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            let line = self.pending.readString(length: end - self.pending.readerIndex) ?? ""
            self.pending.moveReaderIndex(forwardBy: 1)
            if let report = LauncherReport(line) { self.onReport(report) }
        }
        if self.pending.readableBytes > Self.limit { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
