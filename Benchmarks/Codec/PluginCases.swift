import CastWire
import NIOCore
import PluginKit

/// Messages to a plugin and its verdicts, as lines.
enum PluginCases {
    static func all(_ payload: SamplePayload) throws -> [Measurement] {
        let message = PluginMessage(
            id: "m-1000001", device: "living-room", connection: 17, sender: "192.0.2.7",
            session: "5f0c2d1e-7a34-4b58-9c6d-2e8f10a3b4c7", app: "CC1AD845", source: payload.message.source,
            destination: payload.message.destination, namespace: payload.message.namespace,
            payload: payload.message.payload)
        let request = MessageRequest(phase: .handle, deadline: .seconds(1), message: message)
        var requestLine = ByteBuffer()
        request.write(id: 1_000_001, to: &requestLine)
        let verdict = Verdict(.reply(payload.message.payload))
        var verdictLine = ByteBuffer()
        verdict.write(id: 1_000_001, to: &verdictLine)
        var buffer = ByteBuffer()
        guard let echo = InProcessPlugin() else { return [] }
        let line = Array(requestLine.readableBytesView)
        return [
            Measurement("a plugin in process replies", payload) { echo.say(line) },
            Measurement("write a plugin's message", payload) {
                buffer.clear()
                request.write(id: 1_000_001, to: &buffer)
                return buffer.readableBytes
            },
            Measurement("read a plugin's message", payload) { [requestLine] in
                guard case .message(_, let request) = try GatewayLine(reading: requestLine) else { return 0 }
                return request.message.payload.bytes.readableBytes
            },
            Measurement("write a plugin's verdict", payload) {
                buffer.clear()
                verdict.write(id: 1_000_001, to: &buffer)
                return buffer.readableBytes
            },
            Measurement("read a plugin's verdict", payload) { [verdictLine] in
                guard case .response(let response) = try PluginLine(reading: verdictLine),
                    case .reply(let payload) = try response.verdict().disposition
                else { return 0 }
                return payload.bytes.readableBytes
            },
        ]
    }
}
