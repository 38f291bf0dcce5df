import CastWire

/// A value that is being written; what it holds is known when all is written.
final class JSONNode {
    private enum Kind {
        case nothing, scalar, list, object
    }

    private var kind = Kind.nothing
    private var scalar = JSONValue.null
    private var elements: [JSONNode] = []
    private var members: [(name: String, node: JSONNode)] = []

    /// What was written; an object for a value that wrote nothing, as one without members does.
    var value: JSONValue {
        switch self.kind {
        case .scalar: self.scalar
        case .list: .array(self.elements.map(\.value))
        case .nothing, .object: .object(JSONObject(self.members.map { ($0.name, $0.node.value) }))
        }
    }

    /// Is this.
    func become(_ value: JSONValue) {
        self.kind = .scalar
        self.scalar = value
    }

    /// Is a list, unless it is something already.
    func becomeList() {
        if self.kind == .nothing { self.kind = .list }
    }

    /// A new member.
    func member(_ name: String) -> JSONNode {
        self.kind = .object
        let node = JSONNode()
        self.members.append((name: name, node: node))
        return node
    }

    /// A new element at the end.
    func element() -> JSONNode {
        self.kind = .list
        let node = JSONNode()
        self.elements.append(node)
        return node
    }
}
