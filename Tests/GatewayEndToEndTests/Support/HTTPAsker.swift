import NIOCore
import NIOPosix

/// Asks a listener of HTTP once, as bytes.
enum HTTPAsker {
    /// - Returns: the head and the body of the answer.
    static func get(
        _ path: String, port: Int, host: String = "127.0.0.1", headers: [String] = []
    ) async throws -> (head: String, body: String) {
        try await self.ask("GET", path, port: port, host: host, headers: headers)
    }

    /// - Parameter body: of the type; nil for none.
    /// - Returns: the head and the body of the answer.
    static func ask(
        _ method: String, _ path: String, port: Int, host: String = "127.0.0.1", headers: [String] = [],
        type: String = "application/json", body: String? = nil
    ) async throws -> (head: String, body: String) {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            let content = body.map { ["Content-Type: \(type)", "Content-Length: \($0.utf8.count)"] } ?? []
            let lines =
                ["\(method) \(path) HTTP/1.1", "Host: \(host):\(port)"] + headers + content
                + ["Connection: close", "", body ?? ""]
            try await outbound.write(ByteBuffer(string: lines.joined(separator: "\r\n")))
            var answer = ByteBuffer()
            for try await var piece in inbound { answer.writeBuffer(&piece) }
            let text = String(buffer: answer)
            guard let end = text.firstRange(of: "\r\n\r\n") else { return (text, "") }
            return (String(text[..<end.lowerBound]), String(text[end.upperBound...]))
        }
    }
}
