import CastDiscovery

/// Datagrams as any host in the network may send them to the multicast group.
enum AnnouncementTarget: FuzzTarget {
    static let name = "announcement"

    static func run(_ input: [UInt8]) throws {
        let heard = AnnouncementReader.instances(in: input.span, from: "192.0.2.7")
        let instances = heard.map(\.name)
        try Violation.unless(instances.count <= AnnouncementReader.maximumInstances, "\(instances.count) instances")
        try Violation.unless(Set(instances).count == instances.count, "an instance is told twice")
        guard !instances.isEmpty else { return }
        try Violation.unless(input.count <= AnnouncementReader.maximumLength, "\(input.count) bytes are read")
        let isAnswer = input[2] & 0x80 != 0
        try Violation.unless(isAnswer || input[8] != 0 || input[9] != 0, "a question is no announcement")
        for case let port? in heard.map(\.port) { try Violation.unless(1...65535 ~= port, "port \(port)") }
        try Violation.unless(
            AnnouncementReader.instances(in: input.span).allSatisfy { $0.port == nil }, "who is nowhere is located")
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
            try Violation.unless(
                AnnouncementReader.instances(in: more.span).map(\.name) == instances, "the end counts")
        }
        var none = input
        let count = isAnswer ? 6 : 8
        (none[count], none[count + 1]) = (0, 0)
        try Violation.unless(AnnouncementReader.instances(in: none.span).isEmpty, "told without an answer")
    }
}
