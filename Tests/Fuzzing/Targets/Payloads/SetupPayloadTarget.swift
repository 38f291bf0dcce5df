import CastWire

/// Questions about the device, under names of their own.
package enum SetupPayloadTarget: FuzzTarget {
    /// `setup`
    package static let name = "setup"

    /// Reads a message of the namespace, and answers it.
    package static func run(_ input: [UInt8]) throws {
        guard let payload = CastMessage.Payload(input: input), let message = SetupPayload(payload) else { return }
        try PayloadCheck(message).survivesTheWire()
        try PayloadCheck(message).keeps([\.data])
        _ = (message.isEurekaInfo, message.responseCode)
        let answer = SetupPayload.eurekaInfo(answering: message, data: ["name": "hall"])
        try Violation.unless(answer.requestID == message.requestID, "\(message) was answered by \(answer)")
        try Violation.unless(answer.responseCode == 200 && answer.isEurekaInfo, "\(answer) is no answer")
    }
}
