/// One operation, and the least time it took so far.
struct Measurement {
    /// What is done.
    let name: String
    /// With which message.
    let payload: String
    /// Nanoseconds of one operation in the best round.
    private(set) var nanoseconds = Double.infinity

    private let operation: () throws -> Int
    /// What the operations gave, so that none of them can be left out.
    private var checksum = 0

    /// How often the operation runs in a round.
    static let iterations = 5_000

    /// - Parameter operation: gives something of its result, such as a length.
    init(_ name: String, _ payload: SamplePayload, operation: @escaping () throws -> Int) {
        self.name = name
        self.payload = payload.name
        self.operation = operation
    }

    /// One round.
    mutating func runOnce() throws {
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<Self.iterations { self.checksum &+= try self.operation() }
        let took = clock.now - start
        let attoseconds = Double(took.components.attoseconds) + Double(took.components.seconds) * 1e18
        self.nanoseconds = min(self.nanoseconds, attoseconds / 1e9 / Double(Self.iterations))
    }
}
