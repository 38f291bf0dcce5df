import CastWire
import NIOCore
import NIOHTTP1

/// Asks the running gateway about its plugins.
struct PluginRequest {
    private let client: ControlClient

    init(_ control: ControlOption) throws {
        self.client = ControlClient(address: try control.find().address)
    }

    /// Sends a request.
    /// - Throws: ``CommandFailure`` for anything but success.
    func send(_ method: HTTPMethod, _ uri: String) async throws -> ControlReply {
        let reply = try await self.client.send(method, uri, timeout: .seconds(30))
        guard reply.status == 200 else { throw Self.failure(reply) }
        return reply
    }

    /// Asks for lines, and gives each as it comes, until the gateway or the task ends it.
    /// - Throws: ``CommandFailure`` when the gateway refuses.
    func lines(_ uri: String, each: (String) -> Void) async throws {
        try await self.client.lines(uri, failure: Self.failure, each: each)
    }

    /// The path of a plugin's resource.
    static func path(_ name: String, _ rest: String = "") -> String {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-".utf8)
        let escaped = name.utf8.map { byte in
            if allowed.contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }
        return "/api/v1/plugins/\(escaped.joined())\(rest)"
    }

    private static func failure(_ reply: ControlReply) -> CommandFailure {
        let error = (try? JSONReader.read(reply.body))?.objectValue?.object("error")
        return CommandFailure(.refused, error?.string("message") ?? "the gateway answered with status \(reply.status)")
    }
}

extension ControlReply {
    /// The body as a JSON object.
    /// - Throws: ``CommandFailure`` when it is none.
    func object() throws -> JSONObject {
        guard let object = (try? JSONReader.read(self.body))?.objectValue else {
            throw CommandFailure(.refused, "the gateway answered with something that is no JSON")
        }
        return object
    }
}
