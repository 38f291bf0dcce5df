import NIOCore

/// What carries lines to a plugin and back: a socket, or a module's functions. Lives on the connection's event loop.
protocol PluginTransport: AnyObject {
    /// Hands over whole lines. Each write must be confirmed by ``PluginWire/written(_:)``, with its size.
    func write(_ lines: ByteBuffer)

    /// Says that nothing more will be written; what was handed over still goes out.
    func endWriting()

    /// Lets go; ``PluginWire/closed(_:)`` follows.
    func close()
}
