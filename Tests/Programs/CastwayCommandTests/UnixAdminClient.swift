import CastWire
import NIOCore
import NIOPosix
import Testing

/// A gateway's admin listener, asked by hand.
struct UnixAdminClient {
    let path: String

    /// Asks, and returns the status and the JSON of the answer.
    func callAsFunction(
        _ request: String, _ json: JSONObject? = nil
    ) async throws -> (status: Int, json: JSONObject) {
        let body = json.map { JSONValue.object($0).text } ?? ""
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(unixDomainSocketPath: self.path) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let text = try await channel.executeThenClose { inbound, outbound in
            let lines = [
                "\(request) HTTP/1.1", "Host: localhost", "Content-Length: \(body.utf8.count)", "Connection: close", "",
                body,
            ]
            try await outbound.write(ByteBuffer(string: lines.joined(separator: "\r\n")))
            var answer = ByteBuffer()
            for try await var piece in inbound { answer.writeBuffer(&piece) }
            return String(buffer: answer)
        }
        let match = try #require(text.wholeMatch(of: #/(?s)HTTP/1\.1 (\d+).*?\r\n\r\n(.*)/#))
        return (Int(match.1) ?? 0, try #require(try JSONReader.read(String(match.2)).objectValue))
    }
}
