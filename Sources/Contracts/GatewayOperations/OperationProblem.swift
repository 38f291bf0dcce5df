package import CastWire
package import GatewayConfig

/// Why an operation was not done: a problem detail of RFC 9457, the same on every way in.
///
/// ```json
/// {"type": "about:blank", "status": 422, "code": "invalid_input",
///  "detail": "1 problem: 'volume' must be 0 to 1, not 2",
///  "errors": [{"pointer": "/volume", "code": "CW1052", "detail": "'volume' must be 0 to 1, not 2"}]}
/// ```
///
/// `code` is what programs compare. `errors` names the faults of the input by their JSON pointers, of many the first 100.
package struct OperationProblem: Error, Sendable, CustomStringConvertible {
    /// What went wrong, in a word that never changes: fit for a metric label.
    package let code: String
    /// The HTTP status.
    package let status: Int
    /// What went wrong, in a sentence with names and values.
    package let detail: String
    /// What is wrong with the input; empty when it was not the input.
    package let faults: [CheckedInput.Fault]
    /// Further members, such as what a device said.
    package let members: JSONObject

    package init(
        _ code: String, status: Int, _ detail: String, faults: [CheckedInput.Fault] = [], members: JSONObject = [:]
    ) {
        self.code = code
        self.status = status
        self.detail = detail
        self.faults = faults
        self.members = members
    }

    /// Something that is named is not there.
    /// - Parameter code: `unknown_plugin`, for example.
    package static func missing(_ code: String, _ detail: String) -> OperationProblem {
        OperationProblem(code, status: 404, detail)
    }

    /// How many faults of an input are told, each by itself.
    private static let faultLimit = 100

    /// The input is not what the operation takes.
    /// - Parameter more: how many faults there are beside these.
    static func invalid(_ faults: [CheckedInput.Fault], more: Int = 0) -> OperationProblem {
        let first = faults.first?.message ?? "the input cannot be read"
        let count = faults.count + more
        return OperationProblem(
            "invalid_input", status: 422, "\(count == 1 ? "1 problem" : "\(count) problems"): \(first)",
            faults: Array(faults.prefix(Self.faultLimit)))
    }

    package var description: String { "\(self.code): \(self.detail)" }

    /// The problem as RFC 9457 writes it.
    package var json: JSONObject {
        var json: JSONObject = [
            "type": "about:blank", "status": .number(self.status), "code": .string(self.code),
            "detail": .string(self.detail),
        ]
        if !self.faults.isEmpty {
            json["errors"] = .array(
                self.faults.map { fault in
                    var member: JSONObject = [
                        "pointer": .string(fault.pointer), "code": .string(fault.code.rawValue),
                        "detail": .string(fault.message),
                    ]
                    if let hint = fault.hint { member["hint"] = .string(hint) }
                    return .object(member)
                })
        }
        for member in self.members.members where json[member.name] == nil { json[member.name] = member.value }
        return json
    }
}
