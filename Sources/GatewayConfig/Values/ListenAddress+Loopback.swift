extension ListenAddress {
    /// Whether nobody but this machine can connect.
    public var isLoopback: Bool { self.host == "localhost" || self.host == "::1" || self.host.hasPrefix("127.") }
}
