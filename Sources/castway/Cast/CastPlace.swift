/// Where a device answers.
struct CastPlace: Hashable, Sendable, CustomStringConvertible {
    /// An address or a name.
    let host: String
    /// 1 to 65535.
    let port: Int

    /// Host and port; an IPv6 address stands in brackets.
    var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
