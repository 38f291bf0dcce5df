import CastwayTestSupport
import GatewayConfig
import HTTPFetching
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import MediaPictures

/// Pictures as they are fetched from real servers, and from plugins.
@Suite(.timeLimit(.minutes(1))) struct PicturesTests {
    /// A plugin that answers by what it is asked.
    private struct Providers: PictureProviders {
        var answer: @Sendable (String) throws(PictureFault) -> ProvidedPicture = { _ throws(PictureFault) in
            throw PictureFault(.plugin, "not asked here")
        }

        func picture(
            at address: String, of plugin: String, within time: Duration
        ) async throws(PictureFault) -> ProvidedPicture { try self.answer(address) }
    }

    private static let configuration = Self.configuration { _ in }

    private static func configuration(_ change: (inout PicturesConfiguration) -> Void) -> PicturesConfiguration {
        var configuration = PicturesConfiguration()
        configuration.allowsPrivate = true
        configuration.allowsPlaintext = true
        change(&configuration)
        return configuration
    }

    private func with(
        _ configuration: PicturesConfiguration?, _ providers: Providers = Providers(),
        _ body: (Pictures) async throws -> Void
    ) async throws {
        let pictures = Pictures(
            version: "1", group: MultiThreadedEventLoopGroup.singleton, providers: providers,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            resolver: HostResolver { host throws(HostResolver.NotFound) in
                guard host == "pictures.test", let address = IPAddress("127.0.0.1") else {
                    throw HostResolver.NotFound(description: "no such name")
                }
                return [address]
            })
        pictures.configure(configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pictures.run() }
            try await body(pictures)
            group.cancelAll()
        }
    }

    /// What comes of asking for one.
    private func code(
        _ address: String, _ configuration: PicturesConfiguration = configuration,
        _ providers: Providers = Providers()
    ) async throws -> PictureFault.Code? {
        var code: PictureFault.Code?
        try await self.with(configuration, providers) { pictures in
            if case .failure(let fault) = await pictures.picture(at: address) { code = fault.code }
        }
        return code
    }

    @Test func aPictureIsFetchedOnceAndKept() async throws {
        let server = try await PictureServer { _ in PictureServer.whole(Sample.png(), type: "image/jpeg; q=1") }
        try await self.with(Self.configuration) { pictures in
            let address = "http://pictures.test:\(server.port)/a.png"
            await withDiscardingTaskGroup { group in
                for _ in 0..<200 {
                    group.addTask {
                        let picture = try? await pictures.picture(at: address).get()
                        // What the bytes are, whatever the server says.
                        #expect(picture?.contentType == "image/png")
                        #expect(picture?.bytes == Sample.png())
                        #expect(picture?.tag.utf8.count == 32)
                    }
                }
            }
            let standing = pictures.standing
            #expect(standing.fetched == 1 && standing.failures == 0)
            #expect(standing.hits + standing.misses == 200)
            #expect(standing.pictures == 1 && standing.bytes > 0)
            let cleared = pictures.clear()
            #expect(cleared.pictures == 1)
            let again = await pictures.picture(at: address)
            #expect((try? again.get()) != nil)
            #expect(pictures.standing.fetched == 2)
        }
    }

    @Test func whatIsNoPictureIsRefused() async throws {
        let server = try await PictureServer { path in
            switch path {
            case "/html": PictureServer.whole(Sample.png(), type: "text/html")
            case "/svg": PictureServer.whole(ByteBuffer(string: "<svg/>"), type: "image/svg+xml")
            case "/untold": PictureServer.whole(Sample.png(), type: nil)
            case "/twice": PictureServer.whole(Sample.png(), type: "image/png", "content-type: text/html\r\n")
            case "/lie": PictureServer.whole(ByteBuffer(string: "<html><script>"), type: "image/png")
            case "/packed": PictureServer.whole(Sample.bytes([0x1F, 0x8B, 8, 0]), "content-encoding: gzip\r\n")
            case "/pixels": PictureServer.whole(Sample.png(60_000, 60_000))
            case "/large": PictureServer.whole(Sample.png(filling: 5000))
            case "/claims":
                ByteBuffer(
                    string: "HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 99999999999\r\n\r\n")
            case "/endless":
                Sample.bytes(
                    Sample.ascii("HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n\r\n"),
                    Array(repeating: 0, count: 100_000))
            case "/missing": ByteBuffer(string: "HTTP/1.1 404 x\r\ncontent-length: 0\r\n\r\n")
            case "/silent": nil
            case "/cloud":
                ByteBuffer(
                    string: "HTTP/1.1 302 x\r\nlocation: http://169.254.169.254/latest\r\ncontent-length: 0\r\n\r\n")
            default: PictureServer.whole(Sample.png())
            }
        }
        let configuration = Self.configuration {
            $0.size = 4096
            $0.timeout = .milliseconds(500)
        }
        let expected: [(String, PictureFault.Code)] = [
            ("html", .contentType), ("svg", .contentType), ("untold", .contentType), ("twice", .contentType),
            ("lie", .notAPicture), ("packed", .notAPicture), ("pixels", .tooManyPixels), ("large", .tooLarge),
            ("claims", .tooLarge), ("endless", .tooLarge), ("missing", .status), ("silent", .timeout),
            ("cloud", .refusedAddress),
        ]
        try await self.with(configuration) { pictures in
            for (path, code) in expected {
                let outcome = await pictures.picture(at: "http://pictures.test:\(server.port)/\(path)")
                guard case .failure(let fault) = outcome else {
                    Issue.record("\(path) is taken")
                    continue
                }
                #expect(fault.code == code, "\(path): \(fault)")
            }
            #expect(pictures.standing.failures == expected.count)
        }
    }

    @Test func addressesAreJudged() async throws {
        let server = try await PictureServer { _ in PictureServer.whole(Sample.png()) }
        let place = "http://pictures.test:\(server.port)/a.png"
        let refused = try await self.code(place, Self.configuration { $0.allowsPrivate = false })
        #expect(refused == .refusedAddress)
        let plain = try await self.code(place, Self.configuration { $0.allowsPlaintext = false })
        #expect(plain == .plaintext)
        let metadata = try await self.code("http://169.254.169.254/latest/meta-data")
        #expect(metadata == .refusedAddress)
        for odd in ["", "a.png", "file:///etc/passwd", "data:image/png;base64,AAAA", "http://a b/", "http://ä.test/a"] {
            let code = try await self.code(odd)
            #expect(code == .malformed, "'\(odd)'")
        }
        // Only this one was asked for.
        _ = try await self.code("http://pictures.test:\(server.port)/last")
        let first = await server.requests.next()
        #expect(first == "/last")
    }

    @Test func aPluginGivesBytesOrAnotherAddress() async throws {
        let server = try await PictureServer { path in
            PictureServer.whole(path == "/small" ? Sample.png(10, 10) : Sample.png())
        }
        let port = server.port
        let configuration = Self.configuration {
            $0.source = .init(plugin: "thumbnails")
            $0.size = 4096
        }
        let providers = Providers { address throws(PictureFault) in
            switch address {
            case "own:bytes": .bytes(Sample.gif(5, 5))
            case "own:page": .bytes(ByteBuffer(string: "<html>"))
            case "own:large": .bytes(Sample.png(filling: 5000))
            case "own:inside": .address("http://169.254.169.254/")
            case "own:small": .address("http://pictures.test:\(port)/small")
            default: throw PictureFault(.plugin, "no such picture")
            }
        }
        try await self.with(configuration, providers) { pictures in
            let bytes = await pictures.picture(at: "own:bytes")
            #expect((try? bytes.get())?.contentType == "image/gif")
            let other = await pictures.picture(at: "own:small")
            #expect((try? other.get())?.width == 10)
        }
        let faults: [(String, PictureFault.Code)] = [
            ("own:page", .notAPicture), ("own:large", .tooLarge), ("own:inside", .refusedAddress),
            ("http://pictures.test:\(port)/a.png", .plugin),
        ]
        for (address, expected) in faults {
            let code = try await self.code(address, configuration, providers)
            #expect(code == expected, "\(address)")
        }
    }

    @Test func withoutConfigurationNothingIsFetched() async throws {
        try await self.with(nil) { pictures in
            #expect(!pictures.isOn)
            let outcome = await pictures.picture(at: "http://pictures.test/")
            #expect(throws: PictureFault(.ended, "the gateway fetches no pictures")) { try outcome.get() }
        }
    }

    @Test func whoWaitsWhenTheServiceStopsIsTold() async throws {
        let server = try await PictureServer { _ in nil }
        try await self.with(Self.configuration) { pictures in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    let outcome = await pictures.picture(at: "http://pictures.test:\(server.port)/a")
                    #expect(throws: PictureFault(.ended, "the configuration has changed")) { try outcome.get() }
                }
                _ = await server.requests.next()
                pictures.configure(nil)
            }
        }
    }

    @Test(arguments: [
        ("{}", ""), ("{total: 1MiB, size: 2MiB}", "never be kept"), ("{size: 1GiB}", "size"), ("{age: 0s}", "age"),
        ("{source: {}}", "plugin"), ("{allow_private: 1}", "allow_private"),
    ])
    func whatCannotBeIsRefused(text: String, words: String) {
        var document = ConfigDocument.load(
            path: "t", schema: PicturesConfiguration.schema, fileSystem: .memory(["t": text]), environment: [:])
        PicturesConfiguration.checkAll(document.root, problems: &document.problems)
        let messages = document.problems.all.map { "\($0)" }
        #expect(words.isEmpty ? messages.isEmpty : messages.contains { $0.contains(words) }, "\(messages)")
    }
}
