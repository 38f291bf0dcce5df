/// Writes DNS messages, right ones and wrong ones.
struct DNSMessageWriter {
    static let service = ["_googlecast", "_tcp", "local"]

    private(set) var bytes: [UInt8]

    init(
        flags: UInt16 = 0x8400, questions: Int = 0, answers: Int = 1, authorities: Int = 0, additional: Int = 0
    ) {
        self.bytes = [0, 0]
        for number in [Int(flags), questions, answers, authorities, additional] { self.short(number) }
    }

    mutating func short(_ number: Int) {
        self.bytes += [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    /// A name: its labels, and behind them a pointer or the end.
    static func name(_ labels: [String], pointer: Int? = nil) -> [UInt8] {
        labels.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
            + (pointer.map { [UInt8(0xC0 | $0 >> 8), UInt8($0 & 0xFF)] } ?? [0])
    }

    mutating func question(_ name: [UInt8]) {
        self.bytes += name
        self.short(12)
        self.short(1)
    }

    /// Any record.
    /// - Returns: where its content begins.
    @discardableResult
    mutating func record(
        _ owner: [UInt8], type: Int, recordClass: Int = 1, lifetime: Int = 120, content: [UInt8], length: Int? = nil
    ) -> Int {
        self.bytes += owner
        self.short(type)
        self.short(recordClass)
        self.short(lifetime >> 16)
        self.short(lifetime)
        self.short(length ?? content.count)
        self.bytes += content
        return self.bytes.count - content.count
    }

    /// The host and port of an instance.
    mutating func server(of instance: String, host: String = "host", port: Int = 8009) {
        self.record(
            Self.name([instance] + Self.service), type: 33, recordClass: 0x8001,
            content: [0, 0, 0, 0, UInt8(port >> 8), UInt8(port & 0xFF)] + Self.name([host, "local"]))
    }

    /// The address of a host.
    mutating func address(_ address: [UInt8], of host: String = "host") {
        self.record(Self.name([host, "local"]), type: 1, recordClass: 0x8001, content: address)
    }

    /// An answer of the service type that names an instance.
    mutating func pointer(to instance: String, lifetime: Int = 120, recordClass: Int = 1) {
        self.record(
            Self.name(Self.service), type: 12, recordClass: recordClass, lifetime: lifetime,
            content: Self.name([instance] + Self.service))
    }
}
