import CastWire
import Testing

@testable import CastDiscovery

struct ServiceSubtypeTests {
    /// The table of the protocol notes, 1.4.
    @Test(arguments: [
        ("urn:x-cast:com.google.cast.media", "9E5E7C8F47989526C9BCD95D24084F6F0B27C5ED"),
        ("urn:x-cast:com.google.cast.broadcast", "C16B29D865E2B377DBA1D0B81D89E4BDF62AF162"),
        ("urn:x-cast:com.google.cast.debugoverlay", "CFD711A95AA6B74712716F312683F658BA76AFA7"),
        ("urn:x-cast:com.google.cast.cac", "3B80215ECB8EF438A1BB3E28D11D42C04A4013CE"),
        ("urn:x-cast:com.google.cast.inject", "6DB85AEB67287F47BA7D2A1B36F88DB848080920"),
        ("urn:x-cast:com.google.cast.test", "65623D10A96E95064450CEBF43B3CFE5BA14A1DC"),
        ("urn:x-cast:com.spotify.chromecast.secure.v1", "390BFA306A07693043161F476B5C37844A28FB68"),
    ]) func aNamespaceIsKnownByItsDigest(namespace: String, digits: String) {
        let subtype = ServiceSubtype(namespace: Namespace(rawValue: namespace))
        #expect(subtype.label == "_%\(digits)")
        #expect(subtype.type == "_%\(digits)._sub._googlecast._tcp")
    }

    @Test func anAppIsKnownByItsID() {
        #expect(ServiceSubtype(app: "CC1AD845")?.type == "_CC1AD845._sub._googlecast._tcp")
        #expect(ServiceSubtype(app: "") == nil)
        #expect(ServiceSubtype(app: "a.b") == nil)
        #expect(ServiceSubtype(app: AppID(rawValue: String(repeating: "a", count: 63))) == nil)
    }

    /// Labels stand as they are: neither dots nor backslashes of an instance mean anything in a record.
    @Test(arguments: [("Chromecast-9d2b", 15), ("Caf\u{e9} 1.2\\3", 11), ("", 0)])
    func anInstanceIsNamedInItsLabels(instance: String, length: UInt8) {
        let name = CastService.wireName(instance: instance, domain: "local")
        #expect(
            name == [length] + Array(instance.utf8) + [11] + Array("_googlecast".utf8) + [4] + Array("_tcp".utf8) + [5]
                + Array("local".utf8) + [0])
    }
}
