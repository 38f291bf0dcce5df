import CastWire
import GatewayCore
import GatewayOperations
import SystemPrimitives

/// What an answer says of parts of the gateway that did not answer in time.
enum Unanswered {
    /// The member of a result.
    static let member = OperationResult.Member.optional(
        "unanswered", .list(.text),
        "Whose event loop did not answer within 2 s, as `virtual:NAME`, `real:NAME` or `plugin:NAME`: what is said of them is not whole; missing when all did"
    )

    /// Adds the member to an answer: what the caller may know of.
    static func add(to json: inout JSONObject, for caller: Caller) {
        let subjects = (LoopPatience.current?.unanswered ?? []).filter { Self.isVisible($0, to: caller) }
        json["unanswered"] = subjects.isEmpty ? nil : .array(subjects.map { .string($0) })
    }

    /// Refuses to speak of a device that did not answer.
    /// - Throws: `unavailable` (503).
    static func check(_ device: DeviceResolver.NamedDevice) throws(OperationProblem) {
        let subject = "\(device.kind.rawValue):\(device.name)"
        guard LoopPatience.current?.unanswered.contains(subject) == true else { return }
        throw OperationProblem(GatewayError(.unavailable, "the event loop of \(subject) does not answer"))
    }

    private static func isVisible(_ subject: String, to caller: Caller) -> Bool {
        let device = DeviceReference(subject)
        return device.kind == nil ? caller.devices == nil : caller.mayUse(device: device.name)
    }
}
