import CastwayTestSupport
import GatewayConfig
import GatewayCore
import HTTPFetching
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import MediaCatalogues

/// Catalogues as they are read from real servers and files.
@Suite(.timeLimit(.minutes(1))) struct CataloguesTests {
    private static let list = #"[{"contentUrl": "https://m.example/a.mp4", "metadata": {"title": "A"}}]"#

    /// Runs catalogues while a test looks at them.
    private func with(
        _ configurations: [CatalogueConfiguration], files: [String: String] = [:],
        _ body: (Catalogues, EventBus) async throws -> Void
    ) async throws {
        let events = EventBus()
        let fileSystem = ConfigFileSystem(
            read: { path, limit throws(ConfigFileError) in
                guard let text = files[path] else { throw .notFound }
                guard text.utf8.count <= limit else { throw .tooLarge }
                return Array(text.utf8)
            }, find: { _, _ in [] }, permissions: { _ in nil })
        let catalogues = Catalogues(
            version: "1", events: events, group: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, seconds: { 1000 },
            resolver: HostResolver { host throws(HostResolver.NotFound) in
                guard host == "lists.test", let address = IPAddress("127.0.0.1") else {
                    throw HostResolver.NotFound(description: "no such name")
                }
                return [address]
            }, fileSystem: fileSystem)
        catalogues.configure(configurations)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await catalogues.run() }
            try await body(catalogues, events)
            group.cancelAll()
        }
    }

    private func films(
        at port: Int, _ path: String = "/films.json", _ change: (inout CatalogueConfiguration) -> Void = { _ in }
    ) -> CatalogueConfiguration {
        CatalogueConfiguration(name: "films") {
            $0.url = "http://lists.test:\(port)\(path)"
            $0.allowsPrivate = true
            $0.allowsPlaintext = true
            change(&$0)
        }
    }

    /// What comes of one reading.
    private func standing(_ configuration: CatalogueConfiguration) async throws -> CatalogueStatus {
        var standing: CatalogueStatus?
        try await self.with([configuration]) { catalogues, _ in standing = await catalogues.refresh("films") }
        return try #require(standing)
    }

    @Test func aListIsFetchedAndNotSentAgain() async throws {
        let server = try await ListServer { head in
            head.headers.first(name: "if-none-match") == "\"7\""
                ? ListServer.whole(304) : ListServer.whole(200, "etag: \"7\"\r\n", Self.list)
        }
        try await self.with([self.films(at: server.port)]) { catalogues, _ in
            let first = await catalogues.refresh("films")
            #expect(first?.state == .read)
            #expect(first?.list?.items.map(\.id) == ["a"])
            #expect(first?.readAt == 1000)
            let request = await server.requests.next()
            #expect(request?.headers.first(name: "user-agent") == "Castway/1")
            #expect(request?.headers.first(name: "host") == "lists.test:\(server.port)")
            let second = await catalogues.refresh("films")
            #expect(second?.state == .read)
            #expect(second?.list == first?.list)
            let again = await server.requests.next()
            #expect(again?.headers.first(name: "if-none-match") == "\"7\"")
        }
    }

    @Test func theLastGoodListStaysWhenTheServerFails() async throws {
        let server = try await ListServer { _ in ListServer.whole(200, "", Self.list) }
        try await self.with([self.films(at: server.port)]) { catalogues, events in
            let subscription = events.subscribe(seesMessages: false) { $0.name == "catalogue.failed" }
            _ = await catalogues.refresh("films")
            server.answer { _ in ListServer.whole(500, "", "no") }
            let failed = await catalogues.refresh("films")
            #expect(failed?.state == .failed)
            #expect(failed?.fault?.code == "http_status")
            #expect(failed?.fault?.status == 500)
            #expect(failed?.list?.items.count == 1)
            var event: GatewayEvent?
            for await one in subscription.events {
                event = one
                break
            }
            let reason = "http://lists.test:\(server.port) answered 500"
            #expect(
                event == .catalogue(name: "films", .failed(code: "http_status", reason: reason, status: 500)))
            server.answer { _ in ListServer.whole(200, "", "{") }
            let malformed = await catalogues.refresh("films")
            #expect(malformed?.fault?.code == "malformed")
            #expect(malformed?.list?.items.count == 1)
            let unknown = await catalogues.refresh("music")
            #expect(unknown == nil)
        }
    }

    @Test func redirectsAreFollowedThreeTimes() async throws {
        let server = try await ListServer { head in
            switch head.uri {
            case "/one": ListServer.whole(302, "location: /two\r\n")
            case "/two": ListServer.whole(307, "location: http://lists.test:1/\r\n")
            case "/ring": ListServer.whole(301, "location: ring\r\n")
            case "/cloud": ListServer.whole(301, "location: http://169.254.169.254/latest\r\n")
            case "/file": ListServer.whole(301, "location: file:///etc/passwd\r\n")
            case "/far": ListServer.whole(302, "location: /films.json\r\n")
            default: ListServer.whole(200, "", Self.list)
            }
        }
        func code(_ path: String) async throws -> String? {
            try await self.standing(self.films(at: server.port, path)).fault?.code
        }
        let codes = [
            try await code("/far"), try await code("/one"), try await code("/ring"), try await code("/cloud"),
            try await code("/file"),
        ]
        #expect(codes == [nil, "unreachable", "redirect", "refused_address", "redirect"])
    }

    @Test func addressesStandBesideTheListThatRedirectsLeadTo() async throws {
        let server = try await ListServer { head in
            head.uri == "/films.json"
                ? ListServer.whole(302, "location: /lists/9/films.json\r\n")
                : ListServer.whole(200, "", #"[{"sources": ["a.mp4"], "metadata": {"title": "A"}}]"#)
        }
        let standing = try await self.standing(self.films(at: server.port))
        let urls = standing.list?.items.flatMap(\.sources).map(\.url)
        #expect(urls == ["http://lists.test:\(server.port)/lists/9/a.mp4"])
    }

    @Test func whatIsTooMuchIsNotRead() async throws {
        let text = String(repeating: " ", count: 5000) + Self.list
        let server = try await ListServer { head in
            switch head.uri {
            // Without a length, and with one.
            case "/long":
                "HTTP/1.1 200 x\r\ntransfer-encoding: chunked\r\n\r\n1500\r\n\(String(repeating: "x", count: 0x1500))\r\n"
            case "/silent": nil
            default: ListServer.whole(200, "", text)
            }
        }
        let declared = try await self.standing(self.films(at: server.port) { $0.size = 4096 })
        #expect(declared.fault?.code == "too_large")
        let long = try await self.standing(self.films(at: server.port, "/long") { $0.size = 4096 })
        #expect(long.fault?.code == "too_large")
        let late = try await self.standing(
            self.films(at: server.port, "/silent") { $0.timeout = .milliseconds(200) })
        #expect(late.fault?.code == "timeout")
        let whole = try await self.standing(self.films(at: server.port))
        #expect(whole.fault == nil)
    }

    @Test func whoWaitsGetsTheListOfTheLatestConfiguration() async throws {
        let server = try await ListServer { _ in nil }
        let (old, new) = (
            self.films(at: server.port) {
                $0.url = "http://127.0.0.1:\(server.port)/old.json"
                $0.timeout = .milliseconds(1000)
            },
            self.films(at: server.port) {
                $0.url = "http://127.0.0.1:\(server.port)/new.json"
                $0.timeout = .milliseconds(1500)
            }
        )
        try await self.with([old]) { catalogues, _ in
            let asked = await server.requests.next()
            #expect(asked?.uri == "/old.json")
            catalogues.configure([new])
            let standing = await catalogues.refresh("films")
            #expect(standing?.state == .failed, "the old list ends before the new one, and counts for nothing")
            #expect(standing?.fault?.code == "timeout")
        }
    }

    @Test func addressesNeedLeave() async throws {
        let server = try await ListServer { _ in ListServer.whole(200, "", Self.list) }
        let inside = try await self.standing(self.films(at: server.port) { $0.allowsPrivate = false })
        #expect(inside.fault?.code == "refused_address")
        let nowhere = try await self.standing(
            CatalogueConfiguration(name: "films") { $0.url = "https://nowhere.test/films.json" })
        #expect(nowhere.fault?.code == "unreachable")
        #expect(nowhere.fault?.reason.contains("films.json") == false)
    }

    @Test func aListIsReadFromAFile() async throws {
        let files = ["films.json": Self.list]
        try await self.with(
            [
                CatalogueConfiguration(name: "films") { $0.path = "films.json" },
                CatalogueConfiguration(name: "none") { $0.path = "none.json" },
            ], files: files
        ) { catalogues, _ in
            let (films, none) = (await catalogues.refresh("films"), await catalogues.refresh("none"))
            #expect(films?.list?.items.count == 1)
            #expect(none?.fault?.code == "file")
            #expect(catalogues.standings.map(\.name) == ["films", "none"])
            catalogues.configure([])
            #expect(catalogues.standings.isEmpty)
        }
    }
}
