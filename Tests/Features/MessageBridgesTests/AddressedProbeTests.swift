import CastwayTestSupport
import Dispatch
import GatewayConfig
import GatewayCore
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import HTTPFetching
@testable import MessageBridges

/// Heads of answers over real connections, and addresses that are never connected to.
@Suite(.timeLimit(.minutes(1))) struct AddressedProbeTests {
    private static func probe(
        _ url: String, allowsPrivate: Bool = true, time: Duration = .seconds(5), addresses: [String] = ["127.0.0.1"],
        headers: [(name: String, value: String)] = []
    ) async -> Result<HTTPProbeAnswer, HTTPProbeFailure> {
        let found = addresses.compactMap { IPAddress($0) }
        let probe = AddressedProbe(
            version: "1", group: MultiThreadedEventLoopGroup.singleton,
            resolver: HostResolver { (_: String) throws(HostResolver.NotFound) in found })
        return await probe.probe(
            HTTPProbeQuestion(url, headers: headers, allowsPrivate: allowsPrivate, time: time))
    }

    private static func kind(_ result: Result<HTTPProbeAnswer, HTTPProbeFailure>) -> HTTPProbeFailure.Kind? {
        if case .failure(let failure) = result { failure.kind } else { nil }
    }

    /// A name that no server of names answers takes long; who asks for another one does not wait for it.
    @Test func namesThatAreNeverAnsweredHoldUpNothingElse() async throws {
        let (gate, begun) = (DispatchSemaphore(value: 0), Inbox<String>())
        let resolver = HostResolver { host throws(HostResolver.NotFound) in
            begun.put(host)
            if host.hasPrefix("dead") { gate.wait() }
            return [IPAddress("127.0.0.1")].compactMap { $0 }
        }
        let found = Inbox<String>()
        func find(_ host: String, for owner: String, before deadline: NIODeadline = .distantFuture) {
            resolver.find(host, for: owner, before: deadline) { _ in found.put(host) }
        }
        // One name is looked up once, however many want it, and many names of one owner a few at a time.
        for _ in 0..<20 { find("dead", for: "one") }
        for number in 0..<20 { find("dead\(number)", for: "two") }
        find("alive", for: "one")
        #expect(await found.next() == "alive")
        find("alive", for: "three")
        #expect(await found.next() == "alive")
        find("late", for: "two", before: .now())
        for _ in 0..<21 { gate.signal() }
        var names: [String?] = []
        for _ in 0..<40 { names.append(await found.next()) }
        #expect(names.count { $0 == "dead" } == 20 && !names.contains("late"))
        var lookedUp: [String] = []
        for _ in 0..<23 { lookedUp.append(await begun.next() ?? "") }
        #expect(lookedUp.count { $0 == "dead" } == 1 && lookedUp.count { $0 == "alive" } == 2)
    }

    @Test func theHeadIsTold() async throws {
        let server = try await ScriptedBackEnd {
            $1.send(206, "Content-Type: text/vtt\r\naccess-control-allow-origin: *\r\n", body: "W")
        }
        let result = await Self.probe("http://media.test:\(server.port)/a?b=c", headers: [("origin", "https://x")])
        let answer = try result.get()
        #expect(answer.status == 206)
        #expect(answer.header("content-type") == "text/vtt" && answer.header("Access-Control-Allow-Origin") == "*")
        #expect(answer.header("accept-ranges") == nil)
        let request = try #require(await server.requests.next())
        #expect(request.head.uri == "/a?b=c" && request.head.headers["host"] == ["media.test:\(server.port)"])
        #expect(request.head.headers["origin"] == ["https://x"] && request.head.headers["user-agent"] == ["Castway/1"])
        #expect(await server.ended.next() == 1, "the connection ends with the head")
    }

    @Test func aBodyWithoutEndIsNotRead() async throws {
        let server = try await ScriptedBackEnd { _, answer in
            answer.send("HTTP/1.1 200 x\r\ntransfer-encoding: chunked\r\n\r\n")
            answer.sendForever(ByteBuffer(string: "5\r\nhello\r\n"))
        }
        let result = await Self.probe("http://media.test:\(server.port)/")
        #expect(try result.get().status == 200)
        #expect(await server.ended.next() == 1)
    }

    @Test func addressesAreJudged() async throws {
        let server = try await ScriptedBackEnd { $1.send(200) }
        let url = "http://media.test:\(server.port)/"
        #expect(Self.kind(await Self.probe(url, allowsPrivate: false)) == .refusedAddress)
        #expect(
            Self.kind(await Self.probe("http://127.0.0.1:\(server.port)/", allowsPrivate: false)) == .refusedAddress)
        #expect(Self.kind(await Self.probe(url, addresses: ["169.254.169.254"])) == .refusedAddress)
        #expect(Self.kind(await Self.probe(url, addresses: [])) == .refusedAddress)
        let passed = await Self.probe(url, addresses: ["169.254.0.1", "127.0.0.1"])
        #expect(try passed.get().status == 200, "what may not be used is passed over")
    }

    @Test func redirectsAreFollowedAndJudged() async throws {
        let last = try await ScriptedBackEnd { $1.send(200, "x-last: yes\r\n") }
        let server = try await ScriptedBackEnd { request, answer in
            switch request.head.uri {
            case "/far": answer.send(302, "location: http://127.0.0.1:\(last.port)/x\r\n")
            case "/near": answer.send(301, "location: /far\r\n")
            case "/loop": answer.send(307, "location: /loop\r\n")
            case "/metadata": answer.send(302, "location: http://169.254.169.254/latest\r\n")
            default: answer.send(302, "location: ftp://127.0.0.1/\r\n")
            }
        }
        let base = "http://media.test:\(server.port)"
        let followed = await Self.probe("\(base)/near")
        #expect(try followed.get().header("x-last") == "yes")
        #expect(Self.kind(await Self.probe("\(base)/loop")) == .redirect)
        #expect(Self.kind(await Self.probe("\(base)/metadata")) == .refusedAddress)
        #expect(Self.kind(await Self.probe("\(base)/other")) == .redirect)
    }

    @Test func whatDoesNotAnswerIsSaid() async throws {
        let silent = try await ScriptedBackEnd { _, _ in }
        let late = await Self.probe("http://media.test:\(silent.port)/", time: .milliseconds(200))
        #expect(Self.kind(late) == .timeout)
        let broken = try await ScriptedBackEnd { $1.close() }
        #expect(Self.kind(await Self.probe("http://media.test:\(broken.port)/")) == .unreachable)
        #expect(Self.kind(await Self.probe("ftp://media.test/")) == .malformed)
        #expect(Self.kind(await Self.probe("http://a:b@media.test/")) == .malformed)
        let nowhere = AddressedProbe(
            version: "1", group: MultiThreadedEventLoopGroup.singleton,
            resolver: HostResolver { (host: String) throws(HostResolver.NotFound) in
                throw HostResolver.NotFound(description: "no \(host)")
            })
        let result = await nowhere.probe(HTTPProbeQuestion("http://media.test/", allowsPrivate: true))
        #expect(Self.kind(result) == .unreachable)
    }

    @Test func namesThatWereGivenUpAreNotLookedUp() async throws {
        let asked = Inbox<String>()
        let held = DispatchSemaphore(value: 0)
        let probe = AddressedProbe(
            version: "1", group: MultiThreadedEventLoopGroup.singleton,
            resolver: HostResolver { (host: String) throws(HostResolver.NotFound) in
                asked.put(host)
                if host.hasPrefix("slow") { held.wait() }
                throw HostResolver.NotFound(description: "no \(host)")
            })
        @Sendable func ask(_ host: String, _ time: Duration = .seconds(30)) async -> HTTPProbeFailure.Kind? {
            Self.kind(await probe.probe(HTTPProbeQuestion("http://\(host)/", allowsPrivate: true, time: time)))
        }
        // As many as are looked up at once for one owner.
        let names = (1...8).map { "slow-\($0)" }
        try await withThrowingTaskGroup(of: HTTPProbeFailure.Kind?.self) { group in
            for name in names { group.addTask { await ask(name) } }
            var begun: [String] = []
            for _ in names { begun.append(try #require(await asked.next())) }
            #expect(begun.sorted() == names)
            let late = await ask("late", .milliseconds(50))
            #expect(late == .timeout)
            for _ in names { held.signal() }
            for try await kind in group { #expect(kind == .unreachable) }
        }
        let last = await ask("last")
        #expect(last == .unreachable)
        let next = await asked.next()
        #expect(next == "last", "the one before it was given up")
    }

    @Test func anAnswerThatIsCutIsNoFaultOfItsForm() async throws {
        let server = try await ScriptedBackEnd { _, answer in
            answer.send("HTTP/1.1 200 x\r\ncontent-length: 100\r\n\r\nbegun")
            answer.close()
        }
        let fetcher = HTTPFetcher(
            rule: OutboundAddressRule(allowsPrivate: true), allowsPlaintext: true, version: "1",
            group: MultiThreadedEventLoopGroup.singleton, owner: "test")
        let url = try OutboundURL("http://127.0.0.1:\(server.port)/")
        var reason = ""
        do throws(HTTPFetchFailure) {
            _ = try await fetcher.get(url, within: HTTPFetcher.Limits(bytes: 1000, time: .seconds(5)))
        } catch {
            #expect(error.kind == .unreachable)
            reason = error.description
        }
        #expect(reason.hasSuffix("closed the connection"), "\(reason)")
    }
}
