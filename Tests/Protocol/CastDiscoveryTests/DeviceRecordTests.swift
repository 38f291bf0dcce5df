import CastDiscovery
import Testing

struct DeviceRecordTests {
    private static let id = "9d2b7c1e4f6a48b0a3c5d7e9f1023456"

    private func entries(_ pairs: KeyValuePairs<String, String>) -> [TXTEntry] {
        pairs.map { TXTEntry(key: $0.key, text: $0.value) }
    }

    private func record(_ pairs: KeyValuePairs<String, String>, instance: String = "Screen") throws -> DeviceRecord {
        try #require(DeviceRecord(txt: self.entries(pairs), instance: instance))
    }

    @Test func aDevicesRecordIsRead() throws {
        let record = try self.record([
            "id": Self.id, "cd": "A0B1", "rm": "", "ve": "05", "md": "Chromecast Ultra", "ic": "/setup/icon.png",
            "fn": "Wohnzimmer — links", "ca": "463365", "st": "1", "bs": "FA8FCA8286C5", "nf": "2", "rs": "Casting: x",
            "ct": "883290",
        ])
        #expect(record.id.text == Self.id)
        #expect(record.friendlyName == "Wohnzimmer — links")
        #expect(record.model == "Chromecast Ultra")
        #expect(record.version == 5)
        #expect(record.capabilities.rawValue == 463365)
        #expect(record.capabilities.names.contains("videoOut"))
        #expect(record.capabilities.names.contains("attenuationOrFixedVolume"))
        #expect(!record.capabilities.contains(.multizoneGroup))
        #expect(record.activity == .busy)
        #expect(record.statusText == "Casting: x")
        #expect(record.iconPath == "/setup/icon.png")
        #expect(record.hotspotID == "FA8FCA8286C5")
        #expect(record.other == [TXTEntry(key: "ct", text: "883290")])
    }

    @Test func aRecordSurvivesTheWayThereAndBackInTheDevicesOrder() throws {
        let record = try self.record([
            "rs": "Quiz", "x": "1", "id": Self.id, "ve": "05", "fn": "Hall", "md": "m", "ca": "4101", "st": "1",
            "nf": "1", "cd": "C", "bs": "B", "ic": "/i", "rm": "R",
        ])
        #expect(
            record.txt.map(\.key) == ["id", "cd", "rm", "ve", "md", "ic", "fn", "ca", "st", "bs", "nf", "rs", "x"])
        #expect(DeviceRecord(txt: record.txt, instance: "other") == record)
        #expect(record.txt[3].text == "05")
    }

    @Test(arguments: [
        ("9D2B7C1E-4F6A-48B0-A3C5-D7E9F1023456", "9d2b7c1e4f6a48b0a3c5d7e9f1023456"), ("00E04C680001", "00e04c680001"),
    ]) func everyFormOfAnIDIsTheSameID(written: String, canonical: String) throws {
        #expect(DeviceID(written)?.text == canonical)
    }

    @Test(arguments: ["", "---", "a b", "ä", "a/b", String(repeating: "a", count: 65)])
    func whatIsNoIDIsNone(written: String) {
        #expect(DeviceID(written) == nil)
    }

    @Test(arguments: [
        ("Google-Cast-Group-9d2b7c1e4f6a48b0a3c5d7e9f1023456", true),
        ("Google-Cast-Group-9d2b7c1e4f6a48b0a3c5d7e9f1023456-1", true), ("Some-Screen", false), ("", false),
    ]) func anInstanceNameStandsInForAMissingID(instance: String, isKnown: Bool) {
        let record = DeviceRecord(txt: self.entries(["fn": "x"]), instance: instance)
        #expect(record?.id.text == (isKnown ? Self.id : nil))
    }

    @Test func whatIsMissingOrWrongHasAValueAllTheSame() throws {
        let record = try self.record(["id": Self.id, "ca": "much", "ve": "", "st": "perhaps"], instance: "Box")
        #expect(record.friendlyName == "Box")
        #expect(record.capabilities == [])
        #expect(record.version == 0)
        #expect(record.activity == .idle)
        #expect(record.statusText == "")
    }

    @Test func keysAreEqualInEveryCaseAndTheFirstCounts() throws {
        let record = try self.record(["ID": Self.id, "FN": "first", "fn": "second"])
        #expect(record.friendlyName == "first")
        #expect(record.other == [])
    }

    @Test func whatPeersSendIsBounded() throws {
        let many = (0..<500).map { TXTEntry(key: "k\($0)", text: "v") }
        let record = try #require(
            DeviceRecord(txt: [TXTEntry(key: "id", text: Self.id)] + many, instance: "i"))
        #expect(record.other.count == 63)
        #expect(TXTEntry(bytes: [UInt8](repeating: 65, count: 256)) == nil)
        #expect(TXTEntry(bytes: Array("=v".utf8)) == nil)
        #expect(TXTEntry(bytes: Array("flag".utf8))?.value == nil)
        #expect(TXTEntry(bytes: [0x66, 0x6E, 0x3D, 0xFF, 0xFE])?.text == "\u{FFFD}\u{FFFD}")
    }

    @Test func whatIsWrittenFitsIntoEntriesAndPackets() throws {
        let id = try #require(DeviceID(Self.id))
        var record = DeviceRecord(id: id, friendlyName: String(repeating: "ü", count: 200))
        record.statusText = String(repeating: "👍🏽", count: 200)
        record.model = String(repeating: "m", count: 400)
        record.iconPath = String(repeating: "i", count: 400)
        record.certificateDigest = String(repeating: "c", count: 400)
        record.other = (0..<20).map { TXTEntry(key: "x\($0)", text: String(repeating: "v", count: 200)) }
        let txt = record.txt
        #expect(txt.allSatisfy { $0.bytes.count <= 255 })
        #expect(txt.reduce(0) { $0 + $1.bytes.count + 1 } <= DeviceRecord.maximumLength)
        let read = try #require(DeviceRecord(txt: txt, instance: "i"))
        // Cut behind whole characters.
        #expect(read.friendlyName == String(repeating: "ü", count: 126))
        #expect(read.statusText.allSatisfy { $0 == "👍🏽" })
        #expect(!read.statusText.isEmpty)
    }

    @Test func instanceNamesAreOneLabel() throws {
        let id = try #require(DeviceID(Self.id))
        #expect(CastService.instance(model: "Google Nest Mini", id: id) == "Google-Nest-Mini-\(Self.id)")
        let long = CastService.instance(model: String(repeating: "Modell ", count: 20), id: id)
        #expect(long.utf8.count <= 63)
        #expect(long.hasSuffix("-\(Self.id)"))
        #expect(CastService.instance("Name", attempt: 1) == "Name")
        #expect(CastService.instance("Name", attempt: 3) == "Name-3")
        #expect(CastService.instance(long, attempt: 12).utf8.count <= 63)
        #expect(DeviceID(instance: CastService.instance("X-\(Self.id)", attempt: 2))?.text == Self.id)
    }

    /// By the mark, or by the hardware address that gateways made of the id before there was a mark.
    @Test func virtualDevicesAreToldFromDevices() throws {
        let id = try #require(DeviceID("0123456789abcdef0123456789abcdef"))
        func record(_ entries: [String: String]) -> DeviceRecord? {
            DeviceRecord(
                txt: entries.map { TXTEntry(key: $0.key, text: $0.value) } + [TXTEntry(key: "id", text: id.text)],
                instance: "x")
        }
        #expect(try #require(record(["bs": "FA8FCA8286C5", "ct": "883290"])).isVirtualDevice == false)
        #expect(try #require(record(["bs": ""])).isVirtualDevice == false)
        #expect(try #require(record(["cw": "1"])).isVirtualDevice)
        #expect(try #require(record(["CW": "2"])).isVirtualDevice)
        #expect(try #require(record(["bs": "020123456789"])).isVirtualDevice)
        #expect(try #require(record(["bs": "020123456780"])).isVirtualDevice == false)
    }
}
