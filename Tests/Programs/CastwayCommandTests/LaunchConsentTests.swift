import CastWire
import Testing

/// Devices that ask their user before they launch an app, and number what they say of it.
@Suite(.timeLimit(.minutes(2))) struct LaunchConsentTests {
    private static let waiting = "castway: waiting for the user to allow it on the device\n"

    /// Says what a test wants to a LAUNCH; nothing runs before.
    private static func device(_ answers: @escaping @Sendable (_ id: RequestID) -> [JSONObject])
        -> ScriptedDevice.Script
    {
        { message in
            guard let request = message.request, let id = request.requestID else { return [] }
            switch request.kind {
            case .launch: return answers(id).map(message.answer)
            case .getStatus: return [message.answer(Self.status(id, apps: []))]
            default: return []
            }
        }
    }

    private static func status(_ id: RequestID, apps: [JSONValue]) -> JSONObject {
        [
            "type": "RECEIVER_STATUS", "requestId": id.json,
            "status": ["applications": .array(apps), "volume": ["level": 1]],
        ]
    }

    private static func consent(_ state: LaunchStatus.State, _ id: RequestID) -> JSONObject {
        [
            "type": "LAUNCH_STATUS", "requestId": id.json, "launchRequestId": id.json,
            "status": .string(state.rawValue),
        ]
    }

    private func launch(on device: ScriptedDevice, _ arguments: String...) async throws -> CastwayProcess.Result {
        let address = "127.0.0.1:\(device.port)"
        return await (try CastwayProcess(["cast", address, "launch", "ABCD1234"] + arguments)).result()
    }

    @Test func aLaunchThatIsAllowedIsWaitedFor() async throws {
        let script = Self.device { id in
            let app: JSONValue = [
                "appId": "ABCD1234", "displayName": "Quiz", "sessionId": "s", "transportId": "t", "namespaces": [],
            ]
            return [
                Self.consent(.userPendingAuthorization, id), Self.consent(.userPendingAuthorization, id),
                Self.consent(.userAllowed, id), Self.status(id, apps: [app]),
            ]
        }
        try await ScriptedDevice.with(script) { device in
            let result = try await self.launch(on: device)
            #expect(result.status == 0)
            #expect(result.errors == Self.waiting)
        }
    }

    @Test func aLaunchThatIsNotAllowedIsRefused() async throws {
        let script = Self.device { [Self.consent(.userPendingAuthorization, $0), Self.consent(.userNotAllowed, $0)] }
        try await ScriptedDevice.with(script) { device in
            let result = try await self.launch(on: device)
            #expect(result.status == 76)
            #expect(
                result.errors == Self.waiting + "castway: the device does not launch app ABCD1234: USER_NOT_ALLOWED\n")
        }
    }

    @Test func theWaitIsBounded() async throws {
        let script = Self.device { [Self.consent(.userPendingAuthorization, $0)] }
        try await ScriptedDevice.with(script) { device in
            let result = try await self.launch(on: device, "--timeout", "1s")
            #expect(result.status == 75)
            #expect(result.errors == Self.waiting + "castway: no answer to LAUNCH within 1 s\n")
        }
    }
}
