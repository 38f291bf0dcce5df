/// One namespace (`urn:x-cast:com.example.quiz`) or all below a prefix (`urn:x-cast:com.example.*`).
public struct NamespacePattern: Sendable, Hashable, CustomStringConvertible {
    /// The pattern as it was written.
    public let text: String

    /// Makes a pattern; one that ends in `.*` matches every namespace that starts with what stands before the star.
    public init(_ text: String) {
        self.text = text
    }

    /// The pattern as it was written.
    public var description: String { self.text }

    /// Whether the pattern stands for more than one namespace.
    public var isPrefix: Bool { self.text.hasSuffix(".*") }

    /// Whether `namespace` fits; upper and lower case differ.
    public func matches(_ namespace: String) -> Bool {
        self.isPrefix ? namespace.hasPrefix(self.text.dropLast()) : namespace == self.text
    }
}
