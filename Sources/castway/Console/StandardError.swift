import GatewayApp

/// Writes to standard error.
enum StandardError {
    /// Writes a text as it is, behind what was logged. Gives up on a reader that hangs.
    static func write(_ text: String) {
        StandardErrorOutput.write(text)
        StandardErrorOutput.flush()
    }
}
