import CastWire
import GatewayApp
import GatewayOperations
import NIOCore
import NIOHTTP1

/// Asks the running gateway for operations, over its admin listener.
struct OperationRequest {
    /// What the gateway has answered.
    typealias Outcome = Result<JSONObject, OperationRefusal>

    private let client: ControlClient

    /// Finds the gateway, and says on standard error which one it is.
    init(_ control: ControlOption) throws {
        self.client = ControlClient(address: try control.find().address)
    }

    /// How long the gateway may take to answer: longer than it waits for a device itself, so that a caller hears why it waited. What
    /// only reads waits for two answers of a device at most, a command for a launch that a user has to allow and a load too.
    private static func patience(for declaration: OperationDeclaration) -> TimeAmount {
        guard declaration.reach == .device else { return .seconds(60) }
        return declaration.isCommand ? .minutes(25) : .seconds(150)
    }

    /// Has an operation done.
    /// - Parameter timeout: how long the answer may take; nil for longer than any device may.
    /// - Returns: what the operation answers.
    /// - Throws: ``CommandFailure`` when no gateway answers, or the gateway refuses.
    func call(
        _ name: OperationName, _ input: JSONObject = [:], options: CallOptions = CallOptions(),
        timeout: TimeAmount? = nil
    ) async throws -> JSONObject {
        switch try await self.outcome(of: name, input, options: options, timeout: timeout) {
        case .success(let result): return result
        case .failure(let refusal): throw refusal.failure
        }
    }

    /// Has an operation done, for a caller that tells refusals apart.
    /// - Parameter timeout: how long the answer may take; nil for longer than any device may.
    /// - Throws: ``CommandFailure`` when no gateway answers.
    func outcome(
        of name: OperationName, _ input: JSONObject = [:], options: CallOptions = CallOptions(),
        timeout: TimeAmount? = nil
    ) async throws -> Outcome {
        guard let declaration = BuiltInOperations.all.first(where: { $0.name == name }) else {
            throw CommandFailure(.usage, "there is no operation '\(name)'")
        }
        return try await self.outcome(
            at: declaration.route, input, jsonKeys: declaration.jsonKeys, options: options,
            timeout: timeout ?? Self.patience(for: declaration))
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
            guard part.hasPrefix("{") else {
                path += "/\(part)"
                continue
            }
            let key = String(part.dropFirst().dropLast())
            let text = Self.text(input[key])
            // Without it the path would be another operation's.
            guard !text.isEmpty else { throw CommandFailure(.usage, "'\(key)' is missing") }
            path += "/" + text.percentEncoded
        }
        let rest = JSONObject(
            input.members.filter { !route.parameters.contains($0.name) }.map { ($0.name, $0.value) })
        var query: [String] = []
        if !route.method.hasBody {
            query = rest.members.map { name, value in
                let text = jsonKeys.contains(name) ? value.text : Self.text(value)
                return "\(name.percentEncoded)=\(text.percentEncoded)"
            }
        }
        if let wait = options.wait { query.append("wait=\(wait / .seconds(1))") }
        if !query.isEmpty { path += "?" + query.joined(separator: "&") }
        var headers = HTTPHeaders()
        if let key = options.idempotencyKey { headers.add(name: "idempotency-key", value: key) }
        let language = MessageLanguage.current
        if language != .english { headers.add(name: "accept-language", value: language.rawValue) }
        let reply = try await self.client.send(
            HTTPMethod(rawValue: route.method.rawValue), path, headers: headers,
            body: route.method.hasBody ? JSONValue.object(rest).text : nil, timeout: timeout)
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
        return faults.map { fault in
            (fault.string("detail") ?? "") + (fault.string("hint").map { "; \($0)" } ?? "")
        }.joined(separator: "\n")
    }
}

extension String {
    /// The text as a part of a path or a query (RFC 3986, 2.3).
    var percentEncoded: String {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-~".utf8)
        return self.utf8.map { byte in
            if allowed.contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }
}

extension StandardOutput {
    /// Writes what an operation answered, in one line.
    static func write(_ json: JSONObject) { self.write(JSONValue.object(json).text + "\n") }
}
