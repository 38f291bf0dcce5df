import CastDiscovery

/// Datagrams as anybody in the network may send them to the multicast group.
enum AnnouncementTarget: FuzzTarget {
    static let name = "announcement"

    static func run(_ input: [UInt8]) throws {
        let instances = AnnouncementReader.instances(in: input.span)
        try Violation.unless(instances.count <= AnnouncementReader.maximumInstances, "\(instances.count) instances")
        try Violation.unless(Set(instances).count == instances.count, "an instance is told twice")
        guard !instances.isEmpty else { return }
        try Violation.unless(input.count <= AnnouncementReader.maximumLength, "\(input.count) bytes are read")
        try Violation.unless(input[2] & 0x80 != 0, "a question is no announcement")
        for instance in instances {
            try Violation.unless(CastService.folded(instance: instance) == instance, "not folded: \(instance)")
            // What is no UTF-8 becomes three bytes for one.
            try Violation.unless(1...189 ~= instance.utf8.count, "a label of \(instance.utf8.count) bytes")
        }
        let folded = CastService.folded(instance: String(decoding: input, as: UTF8.self))
        try Violation.unless(folded.contains("_googlecast"), "nothing is said of the service")
        // What is behind the answers changes nothing, and without an answer there is nothing.
        if input.count < AnnouncementReader.maximumLength {
            let more = input + [0xFF]
            try Violation.unless(AnnouncementReader.instances(in: more.span) == instances, "the end counts")
        }
        var none = input
        (none[6], none[7]) = (0, 0)
        try Violation.unless(AnnouncementReader.instances(in: none.span).isEmpty, "told without an answer")
    }
}
