import CastWire

/// Launches: credentials, refusals, consent.
package enum LaunchPayloadTarget: FuzzTarget {
    /// `launch`
    package static let name = "launch"

    /// Reads everything that the input may be, and hands credentials over.
    package static func run(_ input: [UInt8]) throws {
        guard let payload = CastMessage.Payload(input: input), let request = ReceiverRequest(payload) else { return }
        try Self.credentials(of: request)
        let error = LaunchError(json: request.json)
        try PayloadCheck(error).survivesTheWire()
        try PayloadCheck(error).keeps([\.reason])
        try PayloadCheck(error).keeps([\.extendedError])
        let status = LaunchStatus(json: request.json)
        try PayloadCheck(status).survivesTheWire()
        try PayloadCheck(status).keeps([\.launchRequestID])
        _ = status.state
    }

    private static func credentials(of request: ReceiverRequest) throws {
        for credentials in [
            request.credentials, ReceiverRequest.LaunchCredentials(credentials: "token", credentialsType: "web"), nil,
        ] {
            var changed = request
            changed.credentials = credentials
            try Violation.unless(
                changed.credentials == credentials,
                "set \(String(describing: credentials)), got \(String(describing: changed.credentials))")
            try PayloadCheck(changed).survivesTheWire()
            let others = ["appParams", "credentials", "credentialsType"]
            for member in request.json.members where !others.contains(member.name) {
                try Violation.unless(
                    changed.json[member.name] == request.json[member.name], "credentials changed \(member.name)")
            }
            let text = "\(changed.credentials.map { "\($0)" } ?? "")"
            // The type is the sender's own word, and may be the same.
            let type = changed.credentials?.credentialsType ?? ""
            try Violation.unless(
                type.contains("token") || !text.contains("token"), "credentials are described in full: \(text)")
        }
    }
}
