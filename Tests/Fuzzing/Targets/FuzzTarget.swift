/// Something that has to hold whatever bytes it is given.
package protocol FuzzTarget: SendableMetatype {
    /// The target's name: of its corpus, its dictionary, and on the command line.
    static var name: String { get }

    /// Tries one input. A trap is a finding, and so is an error.
    /// - Throws: ``Violation`` that says what does not hold.
    static func run(_ input: [UInt8]) throws
}
