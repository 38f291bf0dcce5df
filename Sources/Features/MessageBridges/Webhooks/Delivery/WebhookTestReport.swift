import HTTPFetching
import NIOCore

/// A report of one attempt, step by step, for an operator who tries a webhook out.
struct WebhookTestReport: Sendable {
    struct Step: Sendable, Hashable {
        /// The step: `name`, `address`, `connection`, `answer`.
        var name: String
        /// True if the step succeeded.
        var isFine: Bool
        /// The outcome, for people.
        var text: String
        /// The milliseconds from the beginning of the attempt to the end of the step; nil for one that takes none.
        var milliseconds: Double?
    }

    /// The steps in order, up to the one that failed.
    var steps: [Step]
    /// True if a message would have been delivered.
    var isDelivered: Bool
    /// The status; nil without an answer.
    var status: Int?
    /// The first bytes of the answer's body as text, at most 1 KiB.
    var body: String

    /// The number of bytes of an answer that are shown.
    static let shownBytes = 1024

    /// Tells an attempt.
    init(_ trace: WebhookTrace, to url: OutboundURL) {
        self.steps = Self.steps(trace, url)
        self.isDelivered = false
        self.body = ""
        switch trace.result {
        case .failure(let failure):
            self.steps.append(
                Step(name: "answer", isFine: false, text: "\(failure)", milliseconds: trace.ended.milliseconds))
        case .success(let answer):
            self.isDelivered = answer.isSuccess
            self.status = answer.status
            self.body = String(buffer: answer.body)
            var text = "\(answer.status), \(answer.length) bytes"
            if let type = answer.contentType { text += " of \(type)" }
            switch answer.end {
            case .whole: break
            case .tooLarge: text += ", and more that was not read"
            case .late: text += ", and no end in time"
            case .broken: text += ", then the connection ended"
            }
            self.steps.append(
                Step(name: "answer", isFine: answer.isSuccess, text: text, milliseconds: trace.ended.milliseconds))
        }
    }

    private static func steps(_ trace: WebhookTrace, _ url: OutboundURL) -> [Step] {
        var steps: [Step] = []
        if !trace.addresses.isEmpty {
            let names = trace.addresses.map(\.address).joined(separator: ", ")
            steps.append(
                Step(
                    name: "name", isFine: true, text: "\(url.host) is \(names)", milliseconds: trace.found?.milliseconds
                ))
        }
        steps += trace.addresses.map { address in
            Step(
                name: "address", isFine: address.refusal == nil,
                text: "\(address.address) \(address.refusal.map { "is refused: \($0)" } ?? "may be connected to")")
        }
        if let sent = trace.sent, let address = trace.address {
            let protection = url.isEncrypted ? "with TLS, whose certificate holds" : "without TLS"
            steps.append(
                Step(
                    name: "connection", isFine: true, text: "\(address) port \(url.port), \(protection)",
                    milliseconds: sent.milliseconds))
        }
        return steps
    }
}

extension WebhookClient {
    /// Makes one attempt as delivery does, and tells what it did. A client of its own looks the name up and connects anew.
    /// - Parameter id: the value of `webhook-id`.
    func test(id: String, body: ByteBuffer) async -> WebhookTestReport {
        let request = WebhookRequest(
            id: id, body: body, deadline: .now() + self.timeout, keeps: WebhookTestReport.shownBytes)
        let trace = await withCheckedContinuation { continuation in
            _ = self.send(request) { continuation.resume(returning: $0) }
        }
        return WebhookTestReport(trace, to: self.url)
    }
}

extension Duration {
    fileprivate var milliseconds: Double {
        let (seconds, attoseconds) = self.components
        return Double(seconds) * 1000 + Double(attoseconds) / 1e15
    }
}
