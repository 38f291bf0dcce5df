extension ConfigSchema {
    /// The shapes that YAML gives a value.
    enum Shape: Equatable {
        case scalar
        case sequence
        case mapping
    }

    /// The expected value, as it follows "must be" in a message.
    var expectation: String {
        switch self.kind {
        case .object(let fields):
            let required = fields.filter { $0.presence == .required }.map(\.name)
            return required.isEmpty ? "a mapping" : "a mapping with '\(required.joined(separator: "', '"))'"
        case .list: return "a list"
        case .map, .openObject: return "a mapping"
        case .text: return "a text"
        case .word(let words): return words.count == 1 ? "'\(words[0])'" : String.alternatives(words)
        case .boolean: return "true or false"
        case .integer: return "a whole number"
        case .number: return "a number"
        case .duration: return "a duration such as 5s"
        case .size: return "a size such as 64KiB"
        case .listenAddress: return "an address such as 0.0.0.0:8009"
        case .dialAddress(let port): return "an address such as 192.0.2.40:\(port)"
        case .addressRange: return "a range of addresses such as 10.20.0.0/16"
        case .namespace: return "a namespace such as urn:x-cast:com.example.quiz"
        case .namespacePattern: return "a namespace such as urn:x-cast:com.example.quiz or urn:x-cast:com.example.*"
        case .appID, .appIDPattern: return "an app id such as CC1AD845"
        case .glob: return "a pattern such as Device*"
        case .path: return "a file name"
        case .uuid: return "a UUID"
        case .secret: return "a text"
        case .formatVersion(let version): return "\(version)"
        case .json: return "a value"
        case .oneOf(let alternatives): return String.alternatives(alternatives.map(\.expectation))
        }
    }

    /// The type in one or two words, for the reference.
    var typeName: String {
        switch self.kind {
        case .object: "mapping"
        case .list(let element, _): "list of \(element.pluralTypeName)"
        case .map(let key, let value): "mapping: \(key.typeName) → \(value.typeName)"
        case .openObject(let fields, let key, let value):
            "mapping: \(fields.map { "`\($0.name)`" }.joined(separator: ", ")), \(key.typeName) → \(value.typeName)"
        case .text(let rule) where rule.isSecret: "secret"
        case .text(let rule): rule.allowed == nil ? "text" : "text, \(rule.summary())"
        case .word(let words): words.map { "`\($0)`" }.joined(separator: " · ")
        case .boolean: "`true` · `false`"
        case .integer(let range): "whole number\(Self.bounds(range))"
        case .number(let range): "number, \(range.lowerBound.configText) to \(range.upperBound.configText)"
        case .duration: "duration"
        case .size: "size"
        case .listenAddress: "`host:port`"
        case .dialAddress(let port): "`host` or `host:port` (port \(port))"
        case .addressRange: "address range"
        case .namespace: "namespace"
        case .namespacePattern: "namespace or prefix `….*`"
        case .appID: "app id"
        case .appIDPattern: "app id or pattern with `*` and `?`"
        case .glob: "pattern with `*` and `?`"
        case .path: "path"
        case .uuid: "UUID"
        case .secret: "secret"
        case .formatVersion(let version): "`\(version)`"
        case .json: "any value"
        case .oneOf(let alternatives):
            alternatives.map(\.typeName).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
                .joined(separator: ", or ")
        }
    }

    /// The shapes that the value may have.
    var shapes: [Shape] {
        switch self.kind {
        case .object, .map, .openObject: [.mapping]
        case .list: [.sequence]
        case .json: [.scalar, .sequence, .mapping]
        case .oneOf(let alternatives): alternatives.flatMap(\.shapes)
        default: [.scalar]
        }
    }

    private var pluralTypeName: String {
        switch self.kind {
        case .object: "mappings"
        case .text(let rule): rule.isSecret ? "secrets" : "texts"
        case .addressRange: "address ranges"
        case .namespace: "namespaces"
        case .appID: "app ids"
        case .appIDPattern: "app ids or patterns"
        case .glob: "patterns"
        case .path: "paths"
        case .json: "values"
        default: self.typeName
        }
    }

    private static func bounds(_ range: ClosedRange<Int>) -> String {
        switch (range.lowerBound, range.upperBound) {
        case (Int.min, Int.max): ""
        case (let low, Int.max): " from \(low)"
        case (let low, let high): ", \(low) to \(high)"
        }
    }
}

extension ConfigNode {
    /// The node's shape; nothing for a null, which has none.
    var shape: ConfigSchema.Shape {
        switch self.content {
        case .scalar: .scalar
        case .sequence: .sequence
        case .mapping: .mapping
        }
    }

    /// The shape of the node, as it follows "not" in a message.
    var shapeName: String {
        switch self.content {
        case .scalar(let scalar):
            scalar.isPlain ? "'\(scalar.text.shown)'" : "the text '\(scalar.text.shown)'"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}
