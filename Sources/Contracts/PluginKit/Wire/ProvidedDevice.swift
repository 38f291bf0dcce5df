import CastWire

/// A Cast device that a plugin has found by a way of its own.
public struct ProvidedDevice: Hashable, Sendable {
    /// Its name in the gateway: 1 to 64 bytes without control characters; no other device has it.
    public var name: String
    /// Its IP address, or the name of its host.
    public var address: String
    /// Its port for CASTV2.
    public var port: Int
    /// Its id, as its own announcement has it; nil when that is not known.
    public var id: String?

    /// Describes a device.
    public init(name: String, address: String, port: Int = 8009, id: String? = nil) {
        self.name = name
        self.address = address
        self.port = port
        self.id = id
    }
}

extension ProvidedDevice: WireRecord {
    package static let blank = Self(name: "", address: "")

    package static let members: [Member] = [
        .required("name", \.name), .required("address", \.address), Member("port", \.port), .optional("id", \.id),
    ]

    package func check(_ reader: ObjectReader) throws(PluginWireError) {
        guard (1...64).contains(self.name.utf8.count),
            !self.name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { throw reader.fault("name", "should have 1 to 64 bytes without control characters") }
        guard (1...255).contains(self.address.utf8.count), self.address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw reader.fault("address", "should be an address or the name of a host") }
        guard (1...65_535).contains(self.port) else { throw reader.fault("port", "should be 1 to 65535") }
    }
}
