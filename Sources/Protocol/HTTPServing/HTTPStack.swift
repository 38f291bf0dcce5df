import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Makes the pipeline of one HTTP connection, and takes it down again when the connection becomes something else. Used on the
/// connection's event loop.
struct HTTPStack {
    let channel: any Channel
    let watch: HTTPWatch
    let logger: Logger

    private var pipeline: ChannelPipeline.SynchronousOperations { self.channel.pipeline.syncOperations }

    /// Adds what turns bytes into the parts of requests, and holds the connection to its limits.
    func installCodec() throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = HTTPLimits.maximumHeaderBytes
        limits.maxHeaderListSize = HTTPLimits.maximumHeaderBytes
        limits.maxHeaderFieldCount = HTTPLimits.maximumHeaderCount
        try self.pipeline.addHandlers([
            HTTPBytesHandler(watch: self.watch), HTTPResponseEncoder(),
            // What comes behind a request for another protocol belongs to that protocol.
            ByteToMessageHandler(
                HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)),
            HTTPPartsHandler(watch: self.watch),
        ])
    }

    /// Adds the handlers that hand requests to Hummingbird.
    func installHTTP() throws -> HTTP1Channel.Value {
        try self.pipeline.addHandlers([
            HTTP1ToHTTPServerCodec(secure: false), HTTPConnectionStateHandler(logger: self.logger),
        ])
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: self.channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }

    /// Removes what holds requests and answers to the limits.
    func removeLimits() throws {
        try self.remove(HTTPPartsHandler.self)
        try self.remove(HTTPBytesHandler.self)
    }

    /// Removes the handler that turns answers into bytes.
    func removeEncoder() throws { try self.remove(HTTPResponseEncoder.self) }

    /// Removes what turns bytes into requests, when it has returned. Bytes behind the last request go to the handlers that follow,
    /// which have to be there already. They come behind the end of the read that brought them, so that is said once more.
    func removeDecoder() throws {
        let context = try self.pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let removed = self.channel.eventLoop.makePromise(of: Void.self)
        removed.futureResult.whenSuccess { [channel] in channel.pipeline.fireChannelReadComplete() }
        self.pipeline.removeHandler(context: context, promise: removed)
    }

    private func remove<Handler: RemovableChannelHandler>(_ type: Handler.Type) throws {
        let context = try self.pipeline.context(handlerType: type)
        self.pipeline.removeHandler(context: context, promise: nil)
    }
}
