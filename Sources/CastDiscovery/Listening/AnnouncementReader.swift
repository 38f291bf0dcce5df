/// Finds in a DNS message which Cast devices say that they are there.
///
/// What counts are answers of the service type that name an instance, and answers of an instance with its host or its
/// record (RFC 6763, section 4). Goodbyes, subtypes and all other sections do not.
public enum AnnouncementReader {
    /// What a message may have at most, in bytes (RFC 6762, section 17).
    public static let maximumLength = 9000
    /// More than any device answers with; what comes beyond in one message is not told.
    public static let maximumInstances = 64

    private static let pointerType: UInt16 = 12
    private static let textType: UInt16 = 16
    private static let serverType: UInt16 = 33
    private static let internetClass: UInt16 = 1
    private static let service = [Array("_googlecast".utf8), Array("_tcp".utf8), Array("local".utf8)]

    /// The names of the instances, as ``CastService/folded(instance:)`` makes them, each once.
    /// - Parameter bytes: the whole message.
    /// - Returns: none when it is no answer, or not in order from its beginning to its last answer.
    public static func instances(in bytes: Span<UInt8>) -> [String] {
        guard bytes.count <= Self.maximumLength else { return [] }
        return (try? Self.read(bytes)) ?? []
    }

    private static func read(_ bytes: Span<UInt8>) throws(DNSError) -> [String] {
        var reader = DNSReader(at: 2)
        // An answer to the usual question, and no error: other messages are ignored (RFC 6762, section 18).
        guard try reader.short(bytes) & 0xF80F == 0x8000 else { return [] }
        let questions = try reader.short(bytes)
        let answers = try reader.short(bytes)
        try reader.skip(4, bytes)
        for _ in 0..<questions {
            try reader.skipName(bytes)
            try reader.skip(4, bytes)
        }
        var instances: [String] = []
        for _ in 0..<answers {
            guard let label = try Self.answer(&reader, bytes), instances.count < Self.maximumInstances else { continue }
            let instance = String(decoding: label, as: UTF8.self)
            if !instances.contains(instance) { instances.append(instance) }
        }
        return instances
    }

    /// The instance that one answer is about; nil when it is about none.
    private static func answer(_ reader: inout DNSReader, _ bytes: Span<UInt8>) throws(DNSError) -> [UInt8]? {
        var owner = reader
        try reader.skipName(bytes)
        let type = try reader.short(bytes)
        // The highest bit says that the cache is to forget what it had (RFC 6762, section 10.2).
        let isInternet = try reader.short(bytes) & 0x7FFF == Self.internetClass
        let lifetime = (try reader.short(bytes), try reader.short(bytes))
        let length = Int(try reader.short(bytes))
        var content = reader
        try reader.skip(length, bytes)
        guard isInternet, lifetime != (0, 0) else { return nil }
        switch type {
        case Self.pointerType:
            guard try owner.name(bytes) == Self.service else { return nil }
            let name = try content.name(bytes)
            guard content.offset == reader.offset else { throw DNSError() }
            return Self.instance(name)
        case Self.serverType, Self.textType: return Self.instance(try owner.name(bytes))
        default: return nil
        }
    }

    private static func instance(_ name: [[UInt8]]) -> [UInt8]? {
        name.count == 4 && name[1...].elementsEqual(Self.service) ? name[0] : nil
    }
}
