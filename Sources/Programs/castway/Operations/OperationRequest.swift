import CastWire
import GatewayApp
import GatewayOperations
import NIOCore
import NIOHTTP1
import SystemPrimitives

/// Asks the running gateway for operations, over its admin listener.
struct OperationRequest {
    /// What the gateway has answered.
    typealias Outcome = Result<JSONObject, OperationRefusal>

    private let client: ControlClient

    /// Finds the gateway, and says on standard error which one it is.
    init(_ control: ControlOption) throws { self.client = try control.client() }

    /// Has an operation done.
    /// - Returns: what the operation answers.
    /// - Throws: ``CommandFailure`` when no gateway answers, or the gateway refuses.
    func call(
        _ name: OperationName, _ input: JSONObject = [:], options: CallOptions = CallOptions()
    ) async throws -> JSONObject {
        do {
            return try await self.outcome(of: name, input, options: options).get()
        } catch let refusal as OperationRefusal {
            throw refusal.failure
        }
    }

    /// Has an operation done, for a caller that tells refusals apart.
    /// - Throws: ``CommandFailure`` when no gateway answers.
    func outcome(
        of name: OperationName, _ input: JSONObject = [:], options: CallOptions = CallOptions()
    ) async throws -> Outcome {
        guard let declaration = BuiltInOperations.all.first(where: { $0.name == name }) else {
            throw CommandFailure(.usage, "there is no operation '\(name)'")
        }
        // Longer than the gateway waits for a device itself, so that a caller hears why it waited. What only reads waits for two
        // answers of a device at most, a command for a launch that a user has to allow and a load too.
        let patience: TimeAmount =
            declaration.reach != .device ? .seconds(60) : declaration.isCommand ? .minutes(25) : .seconds(150)
        return try await self.outcome(
            at: declaration.route, input, jsonKeys: declaration.jsonKeys, options: options, timeout: patience)
    }

    /// Has the operation of a route done.
    /// - Parameter jsonKeys: the keys whose values are JSON in a query too, whatever they are.
    /// - Throws: ``CommandFailure`` when no gateway answers.
    func outcome(
        at route: OperationRoute, _ input: JSONObject, jsonKeys: Set<String> = [], options: CallOptions,
        timeout: TimeAmount = .seconds(60)
    ) async throws -> Outcome {
        var path = OperationRoute.prefix
        for part in route.path.split(separator: "/") {
            let key = String(part.dropFirst().dropLast())
            let text = part.hasPrefix("{") ? Self.text(input[key]).percentEncoded() : String(part)
            // Without it the path would be another operation's.
            guard !text.isEmpty else { throw CommandFailure(.usage, "'\(key)' is missing") }
            path += "/" + text
        }
        let rest = input.members.filter { !route.parameters.contains($0.name) }
        let hasBody = route.method.hasBody
        var query = (hasBody ? [] : rest).map { name, value in
            let text = jsonKeys.contains(name) ? value.text : Self.text(value)
            return "\(name.percentEncoded())=\(text.percentEncoded())"
        }
        if let wait = options.wait { query.append("wait=\(wait / .seconds(1))") }
        if !query.isEmpty { path += "?" + query.joined(separator: "&") }
        var headers = HTTPHeaders()
        if let key = options.idempotencyKey { headers.add(name: "idempotency-key", value: key) }
        let language = MessageLanguage.current
        if language != .english { headers.add(name: "accept-language", value: language.rawValue) }
        let reply = try await self.client.send(
            HTTPMethod(rawValue: route.method.rawValue), path, headers: headers,
            body: hasBody ? JSONValue.object(JSONObject(rest.map { ($0.name, $0.value) })).text : nil, timeout: timeout)
        guard let json = (try? JSONReader.read(ByteBuffer(string: reply.body), maximumValues: .max))?.objectValue else {
            throw CommandFailure(.refused, "the gateway answered with something that is no JSON")
        }
        return (200...299).contains(reply.status) ? .success(json) : .failure(OperationRefusal(json: json))
    }

    /// Asks for lines, and gives each as it comes, until the gateway or the task ends it.
    /// - Throws: ``CommandFailure`` when the gateway refuses.
    func lines(_ path: String, each: (String) -> Void) async throws {
        try await self.client.lines(path, failure: Self.failure, each: each)
    }

    /// What a refusal means.
    static func failure(_ reply: ControlReply) -> CommandFailure {
        let json = (try? JSONReader.read(reply.body))?.objectValue ?? [:]
        return OperationRefusal(json: json).failure
    }

    /// A value as it stands in a path or a query.
    private static func text(_ value: JSONValue?) -> String { value?.stringValue ?? value?.text ?? "" }
}

/// A problem detail as a command shows it.
struct OperationRefusal: Error {
    /// The answer (RFC 9457).
    let json: JSONObject

    /// The word that programs compare.
    var code: String { self.json.string("code") ?? "" }

    /// How a command ends with it, as `castway cast` does: input that the operation does not take is a fault of the command line.
    var failure: CommandFailure {
        let status: ExitStatus =
            switch self.code {
            case "bad_request", "invalid_input": .usage
            case "timeout", "handler_timed_out": .timedOut
            case "device_not_connected", "outcome_unknown": .unreachable
            default: .refused
            }
        return CommandFailure(status, self.text)
    }

    /// What is wrong, each fault of the input in a line of its own.
    var text: String {
        let faults = self.json.array("errors")?.compactMap(\.objectValue) ?? []
        guard !faults.isEmpty else {
            let detail = self.json.string("detail") ?? "the gateway refuses"
            return self.json.string("localized_description").map { MessageLanguage.joined($0, detail) } ?? detail
        }
        return faults.map { fault in (fault.string("detail") ?? "") + (fault.string("hint").map { "; \($0)" } ?? "") }
            .joined(separator: "\n")
    }
}

extension StandardOutput {
    /// Writes what an operation answered, in one line.
    static func write(_ json: JSONObject) { self.write(JSONValue.object(json).text + "\n") }
}
