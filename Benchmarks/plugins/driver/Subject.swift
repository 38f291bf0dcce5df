/// Something that answers messages, and is measured.
protocol Subject: Sendable {
    var name: String { get }

    /// Has so many messages answered, so many at a time.
    func run(depth: Int, count: Int) async throws -> Round
}
