import ArgumentParser
import CastWire
import DeviceControl
import FeatureContract
import GatewayOperations
import Glibc

struct GatewayStatus: OperationCall {
    static let configuration = CommandConfiguration(
        "status", "Shows what the running gateway does: devices, senders, sessions, what plays, plugins, warnings.",
        "Lines are as wide as the terminal, or as COLUMNS says. The same stands in the answer of the operation gateway.status.",
        examples: [
            "castway status", "watch --color castway status --color always",
            "castway status --json | jq -r '.warnings[].text'",
        ])
    static let operation: OperationName = "gateway.status"

    func lines(_ answer: JSONObject) -> [String] {
        StatusSheet(answer, width: .output, paint: Terminal.output).lines
    }
}

struct SenderList: OperationCall {
    static let configuration = CommandConfiguration(
        "senders", "Lists who is connected to which virtual device of the running gateway, and since when.",
        """
        What a sender calls itself is its own word, and many say nothing. One sender is disconnected by \
        castway call virtual_device.disconnect.
        """,
        examples: [
            "castway senders", "castway senders --json | jq -r '.senders[] | select(.throttled) | .address'",
            "castway call virtual_device.disconnect device=hall sender=c7",
        ])
    static let operation: OperationName = "senders.list"

    func lines(_ answer: JSONObject) -> [String] {
        let rows = GatewayRows(answer, LocalTime(now: time(nil))).senders
        return rows.count > 1 ? ScreenWidth.output.fitted(rows).lines : ["No sender is connected."]
    }
}

struct SessionList: OperationCall {
    static let configuration = CommandConfiguration(
        "sessions",
        "Lists the running gateway's own sessions with devices, the apps on virtual devices, and what plays.",
        "The gateway's own sessions are those that session.start began; senders begin the others.",
        examples: ["castway sessions", "castway sessions --json | jq '.sessions[].media'"])
    static let operation: OperationName = "sessions.list"

    func run(_ request: OperationRequest, isJSON: Bool) async throws {
        var answer = try await request.call(Self.operation)
        let devices = try await request.call("devices.list")[at: DeviceListResult.fields.virtualDevices] ?? []
        if isJSON {
            let apps = devices.flatMap { device in
                let name = device[at: ListedVirtualDeviceResult.fields.name] ?? ""
                return (device[at: VirtualDeviceResult.fields.apps] ?? []).map { app in
                    JSONValue.object(JSONObject([("device", .string(name))] + app.members.map { ($0.name, $0.value) }))
                }
            }
            let sessions = answer[at: SessionListResult.fields.sessions] ?? []
            return StandardOutput.write(["sessions": .array(sessions.map { .object($0) }), "apps": .array(apps)])
        }
        answer[DeviceListResult.fields.virtualDevices.member.name] = devices.jsonValue
        self.show(answer, isJSON: false)
    }

    /// - Parameter answer: with the virtual devices beside the sessions.
    func lines(_ answer: JSONObject) -> [String] {
        let rows = GatewayRows(answer, LocalTime(now: time(nil)))
        let sections = [
            ("SESSIONS OF THE GATEWAY", rows.sessions), ("APPS ON VIRTUAL DEVICES", rows.apps), ("PLAYS", rows.playing),
        ].filter { $0.1.count > 1 }
        let lines = sections.flatMap { ["", $0.0] + ScreenWidth.output.fitted($0.1).lines }
        return lines.isEmpty ? ["Nothing runs."] : Array(lines.dropFirst())
    }
}
