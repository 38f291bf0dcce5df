import CastWire
public import GatewayCore
import NIOCore
import Synchronization

/// What every handler must withstand, whatever it is for.
///
/// A handler that throws over a peer's bytes would let that peer have it suspended, so throwing counts as a fault here.
public struct HandlerConformance {
    /// Writes down how the handler behaves.
    private final class Probe: MessageHandler {
        let handler: any MessageHandler
        let errors = Mutex<[String]>([])

        init(_ handler: any MessageHandler) {
            self.handler = handler
        }

        var name: String { self.handler.name }
        var claims: [Claim] { self.handler.claims }

        func handle(_ message: RoutedMessage, in context: HandlerContext) throws -> Verdict {
            do {
                return try self.handler.handle(message, in: context)
            } catch {
                self.errors.withLock { $0.append("threw \(error)") }
                throw error
            }
        }
    }

    private let handler: any MessageHandler
    private let types: [String]

    /// Prepares the suite for one handler.
    /// - Parameter types: message types that the handler knows, to be sent without their other fields.
    public init(_ handler: any MessageHandler, types: [String] = []) {
        self.handler = handler
        self.types = types
    }

    /// Sends every message of the suite to every claim.
    /// - Returns: what went wrong, a line each; empty when the handler conforms.
    public func violations() -> [String] {
        if self.handler.name.isEmpty { return ["the handler has no name"] }
        if self.handler.claims.isEmpty { return ["the handler claims nothing"] }
        var violations: [String] = []
        for claim in self.handler.claims {
            for direction in MessageDirection.allCases where claim.directions.contains(direction) {
                for (title, payload) in self.payloads(claim) {
                    let message = CastMessage(
                        source: "conformance-1", destination: .platformReceiver, namespace: Self.namespace(claim),
                        payload: payload)
                    violations += self.send(message, direction, claim).map { "\(claim.pattern), \(title): \($0)" }
                }
            }
        }
        return violations
    }

    private func send(_ message: CastMessage, _ direction: MessageDirection, _ claim: Claim) -> [String] {
        let probe = Probe(self.handler)
        let device = DeviceFacts.test(name: claim.devices?.min() ?? "test")
        guard let bench = try? RouterBench([probe], device: device) else { return ["its claims cannot be registered"] }
        bench.route(message, direction: direction)
        var violations = probe.errors.withLock { $0 }
        if violations.isEmpty, bench.router.counts.failures > 0 { violations.append("gave an impossible verdict") }
        let requestID = PayloadSummary(peeking: message.payload).requestID
        for step in bench.output.steps {
            let answer: CastMessage? =
                switch (direction, step) {
                case (.toReceiver, .toSenders(let answer, _)), (.toSender, .toReceiver(let answer, _)): answer
                default: nil
                }
            guard let answer, answer.destination == message.source, answer.namespace == message.namespace else {
                continue
            }
            let answeredID = PayloadSummary(peeking: answer.payload).requestID
            if let answeredID, answeredID != .spontaneous, answeredID != requestID {
                violations.append("answered with the id \(answeredID)")
            }
            if let requestID, requestID != .spontaneous, answeredID != requestID {
                violations.append("answered without the request's id \(requestID)")
            }
        }
        bench.router.shutdown()
        return violations
    }

    private static func namespace(_ claim: Claim) -> Namespace {
        switch claim.pattern {
        case .exact(let namespace): namespace
        case .prefix(let prefix): Namespace(rawValue: prefix + "conformance")
        case .any: "urn:x-cast:com.example.conformance"
        }
    }

    private func payloads(_ claim: Claim) -> [(title: String, payload: CastMessage.Payload)] {
        let nested = String(repeating: "[", count: 30_000)
        var payloads: [(String, CastMessage.Payload)] = [
            ("empty text", .text("")), ("no JSON", .text("hello")), ("cut JSON", .text(#"{"type":"GET_STATUS","requ"#)),
            ("a list", .text("[1,2,3]")), ("no type", .text(#"{"requestId":7}"#)),
            ("a number as type", .text(#"{"type":5,"requestId":7}"#)),
            ("an unknown type", .text(#"{"type":"CONFORMANCE_UNKNOWN","requestId":7}"#)),
            ("an unknown type without id", .text(#"{"type":"CONFORMANCE_UNKNOWN"}"#)),
            ("deep nesting", .text(#"{"type":"GET_STATUS","requestId":7,"x":"# + nested)),
            ("binary", .binary(ByteBuffer(bytes: [0, 255, 254, 1]))), ("empty binary", .binary(ByteBuffer())),
            (
                "a huge payload",
                .text(#"{"type":"X","requestId":7,"x":""# + String(repeating: "x", count: 60_000) + #""}"#)
            ),
        ]
        for type in self.types + (claim.types?.sorted() ?? []) {
            payloads.append(("bare \(type)", .text(#"{"type":"\#(type)"}"#)))
            payloads.append(("bare \(type) with an id", .text(#"{"type":"\#(type)","requestId":7}"#)))
            payloads.append(("bare \(type) with an id of text", .text(#"{"type":"\#(type)","requestId":"seven"}"#)))
            payloads.append(("bare \(type) with a large id", .text(#"{"type":"\#(type)","requestId":4294967295}"#)))
        }
        return payloads
    }
}
