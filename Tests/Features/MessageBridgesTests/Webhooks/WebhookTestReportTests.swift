import NIOCore
import Testing

@testable import MessageBridges

@Suite(.timeLimit(.minutes(1))) struct WebhookTestReportTests {
    @Test func theStepsOfADeliveryAreTold() async throws {
        let certificate = try TestCertificate(for: "DNS:backend.test")
        let backEnd = try await ScriptedBackEnd(tls: certificate.context()) {
            $1.send(200, "content-type: text/plain\r\n", body: String(repeating: "x", count: 3000))
        }
        let bench = try WebhookBench(
            "https://backend.test:\(backEnd.port)/", addresses: ["169.254.0.1", "127.0.0.1"]
        ) { $0.rootsFile = certificate.rootsFile }
        let report = await bench.carrier.client.test(id: "msg_1", body: ByteBuffer(string: "{}"))
        #expect(report.isDelivered && report.status == 200)
        #expect(report.body == String(repeating: "x", count: 1024))
        #expect(
            report.steps.map(\.text) == [
                "backend.test is 169.254.0.1, 127.0.0.1", "169.254.0.1 is refused: a link-local address",
                "127.0.0.1 may be connected to", "127.0.0.1 port \(backEnd.port), with TLS, whose certificate holds",
                "200, 3000 bytes of text/plain",
            ])
        #expect(report.steps.map(\.name) == ["name", "address", "address", "connection", "answer"])
        #expect(report.steps.map(\.isFine) == [true, false, true, true, true])
        let times = report.steps.compactMap(\.milliseconds)
        #expect(times.count == 3 && times == times.sorted() && times.allSatisfy { $0 >= 0 })
    }

    @Test func theStepThatFailsIsTheLast() async throws {
        let bench = try WebhookBench("https://backend.test/", addresses: ["10.0.0.1"]) { $0.allowsPrivate = false }
        let report = await bench.carrier.client.test(id: "msg_1", body: ByteBuffer(string: "{}"))
        #expect(!report.isDelivered && report.status == nil)
        #expect(report.steps.map(\.isFine) == [true, false, false])
        #expect(report.steps.last?.text.contains("needs allow_private") == true)
    }
}
