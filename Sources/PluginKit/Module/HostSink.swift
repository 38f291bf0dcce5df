import NIOCore

/// The gateway's `send`, which takes lines from any thread.
struct HostSink: LineSink {
    /// The gateway promises that its context may be used from any thread until `close` returns.
    nonisolated(unsafe) private let context: UnsafeMutableRawPointer?
    private let send: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Void

    init(
        context: UnsafeMutableRawPointer?,
        send: @escaping @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Void
    ) {
        self.context = context
        self.send = send
    }

    func write(_ lines: ByteBuffer) {
        lines.withUnsafeReadableBytes { bytes in
            self.send(self.context, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
    }
}
