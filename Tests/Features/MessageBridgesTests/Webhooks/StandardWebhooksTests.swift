import Foundation
import GatewayConfig
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import MessageBridges

/// A back end in Python that verifies by the library of Standard Webhooks.
@Suite(.timeLimit(.minutes(1))) struct StandardWebhooksTests {
    private static let python =
        ProcessInfo.processInfo.environment["CASTWAY_PYTHON"]
        ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../.venv/bin/python3").path

    private static let script = """
        import http.server, sys
        from standardwebhooks import Webhook, WebhookVerificationError

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                try:
                    Webhook(sys.argv[1]).verify(body, dict(self.headers))
                    self.send_response(204)
                except WebhookVerificationError:
                    self.send_response(401)
                    self.send_header("content-length", "0")
                self.end_headers()
            def log_message(self, *args): pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    private func verify(sentWith secrets: String, knownTo secret: String) async throws -> DeliveryOutcome {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: Self.python)
        process.arguments = ["-c", Self.script, secret]
        process.standardOutput = output
        try process.run()
        defer {
            // A child inherits which signals are blocked.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
        var webhook = WebhookConfiguration(name: "b", url: "http://localhost:\(port)/", secret: Secret(secrets))
        webhook.allowsPrivate = true
        let carrier = try WebhookCarrier(webhook, version: "1", group: MultiThreadedEventLoopGroup.singleton)
        defer { carrier.close() }
        return await withCheckedContinuation { continuation in
            let message = WebhookBench.message(body: #"{"type":"x","data":"äöü \u0000"}"#)
            carrier.carry(message) { continuation.resume(returning: $0) }
        }
    }

    @Test func theLibraryVerifiesWhatIsSent() async throws {
        #expect(try await self.verify(sentWith: WebhookBench.secret, knownTo: WebhookBench.secret) == .delivered)
    }

    @Test func whileSecretsChangeBothEndsAgree() async throws {
        let new = "whsec_\(String(repeating: "QUFB", count: 8))"
        let both = "\(new) \(WebhookBench.secret)"
        #expect(try await self.verify(sentWith: both, knownTo: WebhookBench.secret) == .delivered)
        #expect(try await self.verify(sentWith: both, knownTo: new) == .delivered)
        #expect(try await self.verify(sentWith: new, knownTo: WebhookBench.secret).reason.hasSuffix("answered 401"))
    }
}
