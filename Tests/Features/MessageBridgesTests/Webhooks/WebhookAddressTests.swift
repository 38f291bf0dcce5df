import CastwayTestSupport
import NIOCore
import NIOHTTP1
import Testing

@testable import MessageBridges

@Suite(.timeLimit(.minutes(1))) struct WebhookAddressTests {
    @Test func aNameThatTurnsToAForbiddenAddressIsRefused() async throws {
        let backEnd = try await ScriptedBackEnd { $1.send(200) }
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/cast?token=geheim")
        #expect(await bench.carry() == .delivered)
        bench.resolve(to: ["169.254.169.254"])
        bench.advance(by: .seconds(121))
        #expect(
            await bench.carry()
                == .unavailable(
                    "http://backend.test:\(backEnd.port) leads to 169.254.169.254: the metadata service of a cloud"))
        #expect(await backEnd.ended.next() == 1)
        bench.resolve(to: ["127.0.0.1"])
        bench.advance(by: .seconds(1))
        #expect(await bench.carry() == .delivered)
        #expect(bench.lookUps == 3)
    }

    @Test func privateAddressesNeedLeave() async throws {
        let backEnd = try await ScriptedBackEnd { $1.send(200) }
        for host in ["backend.test", "127.0.0.1", "127.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"] {
            let bench = try WebhookBench("http://\(host):\(backEnd.port)/") { $0.allowsPrivate = false }
            let outcome = await bench.carry()
            #expect(outcome.reason.hasSuffix("needs allow_private: true"), "\(host): \(outcome)")
        }
    }

    @Test func addressesThatMayNotBeUsedArePassedOver() async throws {
        let backEnd = try await ScriptedBackEnd { $1.send(200) }
        let bench = try WebhookBench(
            "http://backend.test:\(backEnd.port)/", addresses: ["169.254.0.1", "fe80::1", "127.0.0.1"])
        #expect(await bench.carry() == .delivered)
    }

    @Test func theNextAddressIsTriedAndKept() async throws {
        let backEnd = try await ScriptedBackEnd { $1.send(200) }
        let bench = try WebhookBench(
            "http://backend.test:\(backEnd.port)/", addresses: ["127.0.0.8", "127.0.0.9", "127.0.0.1"])
        for _ in 0..<2 { #expect(await bench.carry() == .delivered) }
        #expect(bench.lookUps == 1)
        for _ in 0..<2 { #expect(await backEnd.requests.next()?.connection == 1) }
    }

    @Test func anotherAddressOfTheNameIsUsedAfterAMinute() async throws {
        let old = try await ScriptedBackEnd { $1.send(200) }
        let new = try await ScriptedBackEnd(at: "127.0.0.2", port: old.port) { $1.send(200) }
        let bench = try WebhookBench("http://backend.test:\(old.port)/")
        #expect(await bench.carry() == .delivered)
        bench.resolve(to: ["127.0.0.2"])
        bench.advance(by: .seconds(121))
        #expect(await bench.carry() == .delivered)
        #expect(await new.requests.next()?.head.headers["host"] == ["backend.test:\(old.port)"])
        // Nothing was under way on the old connection.
        #expect(await old.ended.next() == 1)
    }

    @Test func aConnectionThatIsInUseStaysUntilItsAnswer() async throws {
        let waiting = Inbox<ScriptedBackEnd.Answer>()
        let old = try await ScriptedBackEnd { waiting.put($1) }
        let new = try await ScriptedBackEnd(at: "127.0.0.2", port: old.port) { $1.send(200) }
        let bench = try WebhookBench("http://backend.test:\(old.port)/")
        async let slow = bench.carry()
        let answer = try #require(await waiting.next())
        bench.resolve(to: ["127.0.0.2"])
        bench.advance(by: .seconds(121))
        #expect(await bench.carry(WebhookBench.message(2)) == .delivered)
        _ = await new.requests.next()
        answer.send(500)
        #expect(await slow.reason.hasSuffix("answered 500"))
        #expect(await old.ended.next() == 1)
    }

    @Test func aNameThatIsNotFoundIsUnavailable() async throws {
        let bench = try WebhookBench("https://backend.test/?token=geheim")
        bench.resolve(to: nil)
        #expect(
            await bench.carry()
                == .unavailable("the name of https://backend.test:443 is not found: no such name"))
    }

    @Test func aNameWithoutAddressesIsRefused() async throws {
        let bench = try WebhookBench("https://backend.test/", addresses: [])
        #expect(await bench.carry() == .unavailable("https://backend.test:443 leads to no address"))
    }

    @Test func aConnectionThatFailsHasTheNameLookedUpAnew() async throws {
        let backEnd = try await ScriptedBackEnd { $1.send(200) }
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/", addresses: ["127.0.0.9"])
        #expect(await bench.carry() != .delivered)
        bench.resolve(to: ["127.0.0.1"])
        bench.advance(by: .seconds(1))
        #expect(await bench.carry() == .delivered)
    }

    @Test(arguments: ["[::1]", "backend.test"])
    func ipv6IsSpokenToo(host: String) async throws {
        let backEnd = try await ScriptedBackEnd(at: "::1") { $1.send(200) }
        let bench = try WebhookBench("http://\(host):\(backEnd.port)/", addresses: ["::1"])
        #expect(await bench.carry() == .delivered)
        #expect(await backEnd.requests.next()?.head.headers["host"] == ["\(host):\(backEnd.port)"])
    }

    // MARK: TLS

    @Test func theCertificateIsJudgedByTheName() async throws {
        let certificate = try TestCertificate(for: "DNS:backend.test")
        let backEnd = try await ScriptedBackEnd(tls: certificate.context()) { $1.send(200) }
        let good = try WebhookBench("https://backend.test:\(backEnd.port)/") { $0.rootsFile = certificate.rootsFile }
        #expect(await good.carry() == .delivered)

        let untrusted = try WebhookBench("https://backend.test:\(backEnd.port)/")
        let outcome = await untrusted.carry()
        #expect(outcome.reason.hasSuffix("its certificate is not trusted"), "\(outcome)")

        let other = try WebhookBench("https://other.test:\(backEnd.port)/") { $0.rootsFile = certificate.rootsFile }
        let second = await other.carry()
        #expect(second.reason.hasSuffix("its certificate is for another name"), "\(second)")
        guard case .unavailable = second else { return #expect(Bool(false), "\(second)") }
    }

    @Test func anAddressInTheURLIsJudgedByItsCertificateToo() async throws {
        let certificate = try TestCertificate(for: "IP:127.0.0.1")
        let backEnd = try await ScriptedBackEnd(tls: certificate.context()) { $1.send(200) }
        let good = try WebhookBench("https://127.0.0.1:\(backEnd.port)/") { $0.rootsFile = certificate.rootsFile }
        #expect(await good.carry() == .delivered)
        let named = try TestCertificate(for: "DNS:127.0.0.1")
        let other = try await ScriptedBackEnd(tls: named.context()) { $1.send(200) }
        let bad = try WebhookBench("https://127.0.0.1:\(other.port)/") { $0.rootsFile = named.rootsFile }
        #expect(await bad.carry().reason.hasSuffix("its certificate is for another name"))
    }

    @Test func aBackEndWithoutTLSIsNotSpokenToInTheClear() async throws {
        let backEnd = try await ScriptedBackEnd { $1.send(200) }
        let bench = try WebhookBench("https://backend.test:\(backEnd.port)/")
        let outcome = await bench.carry()
        #expect(outcome.reason.hasPrefix("no TLS with"), "\(outcome)")
    }

    @Test func aFileOfRootsThatIsNoneIsSaidAtTheStart() throws {
        #expect(throws: (any Error).self) {
            try WebhookBench("https://backend.test/") { $0.rootsFile = "/nowhere/ca.pem" }
        }
    }
}
