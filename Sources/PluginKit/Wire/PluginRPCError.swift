public import CastWire

/// The answer to a request that could not be met.
public struct PluginRPCError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for programs.
    public var code: PluginErrorCode
    /// What went wrong, for people.
    public var message: String
    /// More, by the code.
    public var data: JSONValue?

    /// Makes an error.
    public init(_ code: PluginErrorCode, _ message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// The configuration makes no sense.
    /// - Parameter problems: what, and where.
    public static func configurationInvalid(_ problems: [ConfigurationProblem]) -> Self {
        let errors = problems.map { JSONValue.object($0.json) }
        let first = problems.first.map { ": \($0.path) \($0.message)" } ?? ""
        return Self(.configurationInvalid, "invalid configuration\(first)", data: ["errors": .array(errors)])
    }

    /// What is wrong in the configuration, and where; empty for other errors, and what is malformed is left out.
    public var configurationProblems: [ConfigurationProblem] {
        guard self.code == .configurationInvalid else { return [] }
        return (self.data?.objectValue?.array("errors") ?? []).compactMap { element in
            guard let object = element.objectValue else { return nil }
            return try? ConfigurationProblem(ObjectReader(object))
        }
    }

    /// Name of the code, and the message.
    public var description: String { "\(self.code.name): \(self.message)" }
}

extension PluginRPCError: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            PluginErrorCode(rawValue: try reader.int("code")), try reader.optionalString("message") ?? "",
            data: reader.object["data"])
    }

    package var json: JSONObject {
        var json: JSONObject = ["code": .number(self.code.rawValue), "message": .string(self.message)]
        json["data"] = self.data
        return json
    }
}
