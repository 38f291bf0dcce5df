extension ListenAddress {
    /// Reads `host:port` or `[v6]:port`; nil for anything else, also when the port is missing.
    public init?(parsing text: String) {
        guard let parts = try? NetworkAddressText(text, example: "127.0.0.1:9095"), let port = parts.port else {
            return nil
        }
        self.init(host: parts.host, port: port)
    }
}
