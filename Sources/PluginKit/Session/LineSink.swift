import NIOCore

/// Where lines go.
protocol LineSink: Sendable {
    /// Takes whole lines. From one thread at a time.
    func write(_ lines: ByteBuffer)
}
