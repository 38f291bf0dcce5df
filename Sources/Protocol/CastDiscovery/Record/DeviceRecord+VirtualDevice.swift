// How gateways tell virtual devices from devices.
extension DeviceRecord {
    /// The entry that every virtual device of a gateway announces: `cw=1`, the version of the mark. Senders skip keys that they
    /// do not know (RFC 6763, section 6.4), and none is known to read this one.
    package static let virtualDeviceMark = TXTEntry(key: "cw", text: "1")

    /// `bs` as a virtual device announces it: a hardware address that no maker was given, made of the id.
    package static func hotspotID(ofVirtualDevice id: DeviceID) -> String { "02\(id.text.uppercased().prefix(10))" }

    /// True if a gateway announces the device: by its mark, or, for gateways of before there was one, by a hardware address that
    /// is made of the id.
    package var isVirtualDevice: Bool {
        self.other.contains { $0.key.lowercased() == Self.virtualDeviceMark.key }
            || self.hotspotID.uppercased() == Self.hotspotID(ofVirtualDevice: self.id)
    }
}
