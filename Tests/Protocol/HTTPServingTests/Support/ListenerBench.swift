import CastTransport
import CastwayTestSupport
import HTTPServing
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

/// A listener that answers every request with 200, those to `/missing` with 404, both without a look at the body, and
/// those to `/long` with many megabytes.
struct ListenerBench {
    let port: Int
    let admission: Admission
    /// Who was turned away, and why.
    let refusals: Inbox<String>
    /// Gets a word when a long answer could not be written to its end.
    let cutOff: Inbox<Bool>
    let listener: HTTPListener

    static func with(
        limits: HTTPLimits = HTTPLimits(),
        connections: ConnectionLimits = ConnectionLimits(total: 100, perAddress: 100),
        budget: PeerBudget? = nil, isAllowed: @escaping @Sendable () -> Bool = { true },
        upgrades: UpgradeDecider? = nil,
        body: (ListenerBench) async throws -> Void
    ) async throws {
        let (refusals, cutOff) = (Inbox<String>(), Inbox<Bool>())
        let admission = Admission(
            senders: connections, setup: connections, admin: connections, budget: budget)
        let listener = try await HTTPListener(
            at: .address(host: "127.0.0.1", port: 0), kind: .setup, admission: admission,
            rules: .init(
                limits: { limits }, obstacle: { _ in isAllowed() ? nil : "the address is not in senders.allow" },
                refused: { refusals.put($1) }),
            on: MultiThreadedEventLoopGroup.singleton, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            upgrades: upgrades
        ) { request, writer, channel in
            let long = ByteBuffer(repeating: 0x61, count: 1 << 20)
            switch request.head.path {
            case "/long":
                do {
                    let body = ResponseBody { writer in
                        for _ in 0..<64 {
                            try await writer.write(long)
                            // Until the event loop has seen it, the writer does not know whether there is room for more.
                            try await channel.eventLoop.submit {}.get()
                        }
                        try await writer.finish(nil)
                    }
                    try await writer.write(response: Self.head(.ok), body: body)
                } catch {
                    cutOff.put(true)
                    throw error
                }
            case "/missing":
                try await writer.write(response: Self.head(.notFound, length: 0), body: .init())
            default:
                try await writer.write(response: Self.head(.ok, length: 0), body: .init())
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await listener.run() }
            try await body(
                ListenerBench(
                    port: listener.port ?? 0, admission: admission, refusals: refusals, cutOff: cutOff,
                    listener: listener))
            await listener.stop()
        }
    }

    /// Whether no connection is counted, once after the other, with a turn of an event loop between them.
    var isEmpty: AsyncStream<Bool> {
        AsyncStream(unfolding: {
            try? await MultiThreadedEventLoopGroup.singleton.any().submit {}.get()
            return self.admission.count(of: .setup) == 0
        })
    }

    private static func head(_ status: HTTPResponse.Status, length: Int? = nil) -> HTTPResponse {
        var fields = HTTPFields()
        if let length { fields[.contentLength] = "\(length)" }
        return HTTPResponse(status: status, headerFields: fields)
    }
}
