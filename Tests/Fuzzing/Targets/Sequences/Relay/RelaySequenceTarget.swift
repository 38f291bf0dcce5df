/// Senders of two virtual devices, and one device behind both that does what it likes.
///
/// What must hold: what the device says to one end reaches that end alone, each end has an id of its own towards the
/// device, a request to the platform is answered even if the device never does, and nothing is left of senders that are
/// gone.
package enum RelaySequenceTarget: FuzzTarget {
    /// `relay-sequence`
    package static let name = "relay-sequence"

    /// Plays a sequence.
    package static func run(_ input: [UInt8]) throws {
        var sequence = try RelaySequence(input)
        try sequence.run()
    }
}
