import CastWire
import GatewayCore
package import GatewayOperations
import SystemPrimitives

/// The parts of the gateway that did not answer in time, as answers have them: of those that the caller may know of.
package struct Unanswered: ResultRecord {
    package typealias Source = Caller

    package let subjects = Field.optional(
        "unanswered",
        "Whose event loop did not answer within 2 s, as `virtual:NAME`, `real:NAME` or `plugin:NAME`: what is said of them is not whole; missing when all did"
    ) { caller in
        let subjects = (EventLoopTimeout.current?.unanswered ?? []).filter { Self.isVisible($0, to: caller) }
        return subjects.isEmpty ? nil : subjects
    }

    package static let layout = ResultLayout(Unanswered())

    /// Refuses to speak of a device that did not answer.
    /// - Throws: `unavailable` (503).
    package static func check(_ device: DeviceResolver.NamedDevice) throws(OperationProblem) {
        let subject = "\(device.kind.rawValue):\(device.name)"
        guard EventLoopTimeout.current?.unanswered.contains(subject) == true else { return }
        throw OperationProblem(GatewayError(.unavailable, "the event loop of \(subject) does not answer"))
    }

    private static func isVisible(_ subject: String, to caller: Caller) -> Bool {
        let device = DeviceReference(subject)
        return device.kind == nil ? caller.devices == nil : caller.mayUse(device: device.name)
    }
}
