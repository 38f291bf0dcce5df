/// Something that should hold whatever a peer does, and does not.
package struct Violation: Error, CustomStringConvertible {
    /// What is wrong, for people.
    package let description: String

    /// Says what is wrong.
    package init(_ description: String) {
        self.description = description
    }

    /// Demands a condition.
    /// - Throws: the violation that the text describes when it does not hold.
    package static func unless(_ condition: Bool, _ description: @autoclosure () -> String) throws {
        if !condition { throw Self(description()) }
    }
}
