import NIOCore
import NIOPosix

/// Accepts connections and never says a word.
enum SilentServer {
    static func with(_ body: (_ port: Int) async throws -> Void) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        try await body(channel.localAddress?.port ?? 0)
        try await channel.close()
    }
}
