/// Finds in a DNS message which Cast devices say that they are there, and where.
///
/// What counts are answers of the service type that name an instance, and answers of an instance with its host or its
/// record (RFC 6763, section 4). Goodbyes, subtypes and all other sections do not. Before a device with a new address
/// answers, it asks whether another host has its names (RFC 6762, section 8.1): the records of which it tells then, in
/// the section of authorities, count too.
///
/// A device is where a message came from if the message says so, by the instance's host and the host's address, in
/// whichever section. Nothing else is believed: relays of multicast tell of others.
package enum AnnouncementReader {
    /// The limit of a message, in bytes (RFC 6762, section 17).
    package static let maximumLength = 9000
    /// More than any device answers with; what comes beyond in one message is not told.
    package static let maximumInstances = 64

    private enum RecordType {
        static let address: UInt16 = 1
        static let pointer: UInt16 = 12
        static let text: UInt16 = 16
        static let server: UInt16 = 33
    }

    private static let internetClass: UInt16 = 1
    private static let service = [Array("_googlecast".utf8), Array("_tcp".utf8), Array("local".utf8)]

    private struct Record {
        let owner: DNSReader
        let type: UInt16
        /// False for goodbyes and for other classes than that of the Internet.
        let isValid: Bool
        let content: DNSReader
        let end: Int
    }

    /// The findings of one message.
    private struct Findings {
        var instances: [String] = []
        var servers: [String: (host: [[UInt8]], port: Int)] = [:]
        /// The hosts that have the address from which the message came.
        var hosts: [[[UInt8]]] = []

        func port(of instance: String) -> Int? {
            self.servers[instance].flatMap { self.hosts.contains($0.host) ? $0.port : nil }
        }
    }

    /// Returns the instances, each once.
    /// - Parameter address: the IPv4 address from which it came; with another one it is not told where devices are.
    /// - Returns: none when it is of no use, or not in order from its beginning to the last record that counts.
    package static func instances(in bytes: Span<UInt8>, from address: String = "") -> [HeardInstance] {
        guard bytes.count <= Self.maximumLength, let findings = try? Self.read(bytes, from: address) else { return [] }
        return findings.instances.map { HeardInstance(name: $0, port: findings.port(of: $0)) }
    }

    private static func read(_ bytes: Span<UInt8>, from address: String) throws(DNSError) -> Findings {
        var reader = DNSReader(at: 2)
        let kind = try reader.short(bytes) & 0xF80F
        // The usual question or an answer to it, and no error: other messages are ignored (RFC 6762, section 18).
        guard kind == 0x8000 || kind == 0 else { return Findings() }
        let questions = try reader.short(bytes)
        let answers = try reader.short(bytes)
        let authorities = try reader.short(bytes)
        let additional = try reader.short(bytes)
        guard kind == 0x8000 || authorities > 0 else { return Findings() }
        for _ in 0..<questions {
            try reader.skipName(bytes)
            try reader.skip(4, bytes)
        }
        var findings = Findings()
        guard kind == 0x8000 else {
            // What the asking one knows already is no news.
            for _ in 0..<answers { _ = try Self.record(&reader, bytes) }
            for _ in 0..<authorities {
                let record = try Self.record(&reader, bytes)
                if record.type != RecordType.pointer { try Self.take(record, bytes, from: address, into: &findings) }
            }
            return findings
        }
        for _ in 0..<answers {
            try Self.take(try Self.record(&reader, bytes), bytes, from: address, into: &findings)
        }
        // What is said beside the answers is of use as far as it can be read.
        var others = findings
        for _ in 0..<(Int(authorities) + Int(additional)) {
            guard let record = try? Self.record(&reader, bytes),
                (try? Self.take(record, bytes, from: address, into: &others)) != nil
            else { break }
        }
        (findings.servers, findings.hosts) = (others.servers, others.hosts)
        return findings
    }

    private static func record(_ reader: inout DNSReader, _ bytes: Span<UInt8>) throws(DNSError) -> Record {
        let owner = reader
        try reader.skipName(bytes)
        let type = try reader.short(bytes)
        // The highest bit says that the cache is to forget what it had (RFC 6762, section 10.2).
        let isInternet = try reader.short(bytes) & 0x7FFF == Self.internetClass
        let lifetime = (try reader.short(bytes), try reader.short(bytes))
        let length = Int(try reader.short(bytes))
        let content = reader
        try reader.skip(length, bytes)
        return Record(
            owner: owner, type: type, isValid: isInternet && lifetime != (0, 0), content: content, end: reader.offset)
    }

    /// Notes what a record says of instances and of the host that the message came from.
    private static func take(
        _ record: Record, _ bytes: Span<UInt8>, from address: String, into findings: inout Findings
    ) throws(DNSError) {
        guard record.isValid else { return }
        var (owner, content) = (record.owner, record.content)
        switch record.type {
        case RecordType.pointer:
            guard try owner.name(bytes) == Self.service else { return }
            let name = try content.name(bytes)
            guard content.offset == record.end else { throw DNSError() }
            _ = Self.note(name, in: &findings)
        case RecordType.server:
            guard let instance = Self.note(try owner.name(bytes), in: &findings) else { return }
            findings.servers[instance] = try? Self.server(record, bytes)
        case RecordType.text: _ = Self.note(try owner.name(bytes), in: &findings)
        case RecordType.address:
            guard try Self.address(record, bytes) == address, findings.hosts.count < Self.maximumInstances else {
                return
            }
            findings.hosts.append(try owner.name(bytes))
        default: break
        }
    }

    /// Notes an instance by its whole name.
    /// - Returns: nil when it is none, or one too many.
    private static func note(_ name: [[UInt8]], in findings: inout Findings) -> String? {
        guard name.count == 4, name[1...].elementsEqual(Self.service) else { return nil }
        let instance = String(decoding: name[0], as: UTF8.self)
        if findings.instances.contains(instance) { return instance }
        guard findings.instances.count < Self.maximumInstances else { return nil }
        findings.instances.append(instance)
        return instance
    }

    /// The host and port of an instance (RFC 2782).
    private static func server(
        _ record: Record, _ bytes: Span<UInt8>
    ) throws(DNSError) -> (host: [[UInt8]], port: Int) {
        var content = record.content
        try content.skip(4, bytes)
        let port = Int(try content.short(bytes))
        let host = try content.name(bytes)
        guard port > 0, content.offset == record.end else { throw DNSError() }
        return (host, port)
    }

    private static func address(_ record: Record, _ bytes: Span<UInt8>) throws(DNSError) -> String? {
        guard record.end - record.content.offset == 4 else { return nil }
        var (content, parts) = (record.content, [String]())
        for _ in 0..<4 { parts.append(String(try content.byte(bytes))) }
        return parts.joined(separator: ".")
    }
}

/// A Cast device that a message of mDNS names.
package struct HeardInstance: Hashable, Sendable {
    /// The name of its service instance, as ``CastService/folded(instance:)`` makes it.
    package let name: String
    /// The port of its Cast channel, when the message says that the device is where the message came from; nil otherwise.
    package let port: Int?

    package init(name: String, port: Int? = nil) {
        self.name = name
        self.port = port
    }
}
