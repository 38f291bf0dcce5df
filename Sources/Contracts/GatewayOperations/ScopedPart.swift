package import CastWire

/// A part of an operation's input that takes a scope of its own, since it does more than the rest: credentials in a launch.
package struct ScopedPart: Sendable, Hashable {
    /// The names of the members that lead to it, from the input on.
    package let path: [String]
    /// What a caller has to be allowed beside the scope of the operation.
    package let scope: OperationScope

    /// Describes a part.
    /// - Parameter path: the names of the members that lead to it.
    package init(_ path: String..., scope: OperationScope) {
        self.path = path
        self.scope = scope
    }

    /// The path with dots: `state.loadRequestData.credentials`.
    package var name: String { self.path.joined(separator: ".") }

    /// Whether an input has the part. A member that stands twice counts wherever it stands.
    package func isIn(_ input: JSONObject) -> Bool {
        var objects = [input]
        for name in self.path.dropLast() {
            objects = objects.flatMap(\.members).filter { $0.name == name }.compactMap(\.value.objectValue)
        }
        return objects.contains { object in object.members.contains { $0.name == self.path.last && $0.value != .null } }
    }
}
