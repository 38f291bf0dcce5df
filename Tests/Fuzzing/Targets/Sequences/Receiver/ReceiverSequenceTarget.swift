/// Several senders do what they like to a virtual device with the built-in receiver.
///
/// The input chooses the steps: messages good and bad, in pieces or together, time that passes, senders that come and go.
/// What must hold: each request has one answer, for its sender alone, and nothing is left of senders that are gone.
package enum ReceiverSequenceTarget: FuzzTarget {
    /// `receiver-sequence`
    package static let name = "receiver-sequence"

    /// Plays a sequence.
    package static func run(_ input: [UInt8]) throws {
        try Self.run(input, sabotage: nil)
    }

    /// Plays a sequence with a receiver that does wrong.
    package static func run(_ input: [UInt8], sabotage: Sabotage?) throws {
        var sequence = try ReceiverSequence(input, sabotage)
        try sequence.run()
    }
}
