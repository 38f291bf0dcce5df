import NIOCore

/// Hears the kernel tell of changes of the network, and says what came back.
final class NetworkWatchHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var state: NetworkState
    private var pace = ReturnPace()
    private let returned: (NetworkState.Return) -> Void

    init(state: NetworkState, returned: @escaping (NetworkState.Return) -> Void) {
        self.state = state
        self.returned = returned
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for message in NetlinkMessage.read(self.unwrapInboundIn(data)) {
            guard let change = self.state.take(message),
                let deadline = self.pace.noted(change, at: context.eventLoop.now)
            else { continue }
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(deadline: deadline) {
                let (handler, context) = bound.value
                handler.pace.act(at: context.eventLoop.now).map(handler.returned)
            }
        }
    }

    /// The kernel had more to tell than fits into the socket: it is opened anew.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
