import NIOCore

/// A line that `castway-launch` writes to its lifeline.
enum LauncherReport: Hashable, Sendable {
    /// The plugin runs, under this process id.
    case started(Int32)
    case exited(Int32)
    case signalled(Int32)
    /// The plugin could not be started.
    case failed(String)
    /// A limit that cannot be enforced here, and why.
    case unenforced(what: String, reason: String)
    /// A limit that is enforced in the stronger of two ways.
    case enforced(String)
    /// Everything was killed, since there was too much of it.
    case killed(String)
    /// Everything was killed, since its state folder holds too much.
    case full(String)
    case gone

    /// Reads a line; nil for one that this version does not know.
    init?(_ line: String) {
        let parts = line.split(separator: Character(" "), maxSplits: 1).map(String.init)
        let rest = parts.count > 1 ? parts[1] : ""
        switch parts.first {
        case "started":
            guard let id = Int32(rest) else { return nil }
            self = .started(id)
        case "exited":
            guard let code = Int32(rest) else { return nil }
            self = .exited(code)
        case "signal":
            guard let number = Int32(rest) else { return nil }
            self = .signalled(number)
        case "failed": self = .failed(rest)
        case "unenforced":
            let words = rest.split(separator: Character(" "), maxSplits: 1).map(String.init)
            self = .unenforced(what: words.first ?? "", reason: words.count > 1 ? words[1] : "")
        case "enforced": self = .enforced(rest)
        case "killed": self = .killed(rest)
        case "full": self = .full(rest)
        case "gone": self = .gone
        default: return nil
        }
    }
}

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
