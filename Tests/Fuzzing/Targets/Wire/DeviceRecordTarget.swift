import CastDiscovery

/// TXT records as they come from the network: entries, each with its length before it.
enum DeviceRecordTarget: FuzzTarget {
    static let name = "device-record"

    static func run(_ input: [UInt8]) throws {
        var entries: [TXTEntry] = []
        var rest = input[...]
        while let length = rest.popFirst() {
            if let entry = TXTEntry(bytes: Array(rest.prefix(Int(length)))) { entries.append(entry) }
            rest = rest.dropFirst(Int(length))
        }
        guard let record = DeviceRecord(txt: entries, instance: "Chromecast") else { return }
        let written = record.txt
        try Violation.unless(written.allSatisfy { $0.bytes.count <= TXTEntry.maximumLength }, "an entry is too long")
        let size = written.reduce(0) { $0 + $1.bytes.count + 1 }
        try Violation.unless(size <= DeviceRecord.maximumLength, "the record has \(size) bytes")
        guard let again = DeviceRecord(txt: written, instance: "Chromecast") else {
            throw Violation("what was written cannot be read")
        }
        try Violation.unless(again.id == record.id, "another id: \(again.id), \(record.id)")
        try Violation.unless(again.capabilities == record.capabilities, "other capabilities")
        // What was cut once is not cut again.
        try Violation.unless(DeviceRecord(txt: again.txt, instance: "Chromecast") == again, "not the same again")
    }
}
