import CastIdentity
import CastwayTestSupport
import ControlAPI
import GatewayConfig
import GatewayOperations
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import CallerAccess

/// Who is a caller, and until when; the tests own the time.
@Suite(.timeLimit(.minutes(1))) struct TokenAuthorityTests {
    private let folder: TemporaryFolder
    private let eventLoop = NIOAsyncTestingEventLoop()
    private let time = TimeOfDay()
    private let uses = Inbox<String>()

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private final class TimeOfDay: Sendable {
        private let seconds = Mutex<Int64>(1_000_000)
        var now: Int64 { self.seconds.withLock { $0 } }
        func pass(_ seconds: Int64) { self.seconds.withLock { $0 += seconds } }
    }

    private func authority(
        configured: [APITokenConfiguration] = [], obstacle: String? = nil
    ) throws -> TokenAuthority {
        let identities = try IdentityStore.open(stateDirectory: self.folder.path)
        let (time, uses) = (self.time, self.uses)
        return try TokenAuthority(
            store: try TokenStore(identities.database), configured: configured, obstacle: obstacle,
            audit: AuditLog(LogRecorder().logger("Audit")), eventLoop: self.eventLoop, wallClock: { time.now },
            keepUse: { id, _ in uses.put(id) })
    }

    private func caller(_ authority: TokenAuthority, _ token: String?, from address: String = "192.0.2.7") -> String {
        do throws(OperationProblem) {
            return try authority.caller(showing: CallerCredentials(token: token, address: address)).name
        } catch {
            return error.code
        }
    }

    private func pass(_ seconds: Int64) async {
        self.time.pass(seconds)
        await self.eventLoop.advanceTime(by: .seconds(seconds))
    }

    /// Timers count the time that passes, and know nothing of a clock that is set.
    @Test func aClockThatIsSetEndsConnections() async throws {
        let authority = try self.authority()
        let made = try authority.create(name: "panel", scopes: [.read], devices: nil, lifetime: 86_400)
        let token = made.token
        let ended = Inbox<String>()
        let watch = authority.watch(token.caller) { ended.put($0) }
        self.time.pass(90_000)
        authority.settle()
        #expect(await ended.next() == "the token is over")
        _ = watch
    }

    @Test func aTokenIsTakenUntilItsEndAndAfterARestart() async throws {
        let authority = try self.authority()
        let made = try authority.create(
            name: "panel", scopes: [.read, .control], devices: [DevicePattern("room-*")], lifetime: 100)
        let (token, text) = (made.token, made.text)
        #expect(text.hasPrefix("cwt_") && text.utf8.count == 47 && BearerToken(text) != nil)
        #expect(self.caller(authority, text) == "panel")
        let again = try self.authority()
        let caller = try again.caller(showing: CallerCredentials(token: text, address: "192.0.2.7"))
        #expect(caller == token.caller && caller.scopes == [.read, .control])
        #expect(caller.mayUse(device: "room-1") && !caller.mayUse(device: "hall"))
        await self.pass(99)
        #expect(self.caller(authority, text) == "panel")
        await self.pass(1)
        #expect(self.caller(authority, text) == "unauthorized")
        #expect(authority.list.first?.isOver == true)
    }

    @Test func theDatabaseHoldsNoToken() throws {
        let authority = try self.authority()
        let text = try authority.create(name: "panel", scopes: [.read], devices: nil, lifetime: nil).text
        var found = 0
        for file in ["castway.db", "castway.db-wal", "castway.state"] {
            guard let content = try? self.folder.read(file) else { continue }
            found += content.utf8.count
            #expect(!content.contains(text) && !content.contains(text.dropFirst(4)))
        }
        #expect(found > 0)
    }

    @Test func whoIsWatchedLearnsOfTheEnd() async throws {
        let authority = try self.authority()
        let ends = Inbox<String>()
        func watched(_ name: String, lifetime: Int? = nil) throws -> CallerWatch {
            let text = try authority.create(name: name, scopes: [.read], devices: nil, lifetime: lifetime).text
            let caller = try authority.caller(showing: CallerCredentials(token: text, address: "192.0.2.7"))
            return authority.watch(caller) { ends.put("\(name): \($0)") }
        }
        let kept = [try watched("short", lifetime: 7200), try watched("long")]
        let cancelled = try watched("cancelled", lifetime: 60)
        cancelled.cancel()
        await self.pass(3600)
        await self.pass(3600)
        #expect(await ends.next() == "short: the token is over")
        _ = try authority.revoke("long")
        #expect(await ends.next() == "long: the token was revoked")
        withExtendedLifetime(kept) {}
    }

    @Test func aReloadEndsThoseWhoseRightsChange() async throws {
        let text = "0123456789abcdef0123456789abcdef"
        let one = APITokenConfiguration(name: "one", token: Secret(text))
        let authority = try self.authority(configured: [one])
        let caller = try authority.caller(showing: CallerCredentials(token: text, address: "192.0.2.7"))
        let ends = Inbox<String>()
        let watch = authority.watch(caller) { ends.put($0) }
        authority.follow([one])
        authority.follow([APITokenConfiguration(name: "one", token: Secret(text)) { $0.scopes = [.admin] }])
        #expect(await ends.next() == "the token has other rights from now on")
        #expect(try authority.caller(showing: CallerCredentials(token: text, address: "192.0.2.7")).scopes == [.admin])
        authority.follow([])
        #expect(self.caller(authority, text) == "unauthorized")
        watch.cancel()
        // At once for those who are over already.
        _ = authority.watch(caller) { ends.put($0) }
        #expect(await ends.next() == "the token was revoked")
    }

    @Test func thisMachineNeedsATokenOnceThereIsOne() async throws {
        let authority = try self.authority()
        #expect(self.caller(authority, nil, from: "127.0.0.1") == "loopback")
        #expect(self.caller(authority, nil, from: "::1") == "loopback")
        #expect(self.caller(authority, nil) == "unauthorized")
        let ends = Inbox<String>()
        let watch = authority.watch(TokenAuthority.loopback) { ends.put($0) }
        let token = try authority.create(name: "a", scopes: [.read], devices: nil, lifetime: nil).token
        #expect(await ends.next() == "a token is needed from now on")
        #expect(self.caller(authority, nil, from: "127.0.0.1") == "unauthorized")
        _ = try authority.revoke(token.id)
        #expect(self.caller(authority, nil, from: "127.0.0.1") == "loopback")
        watch.cancel()
    }

    @Test func aHashIsAsGoodAsTheToken() throws {
        let text = "0123456789abcdef0123456789abcdef"
        let hash = TokenText.digest(text).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
        let authority = try self.authority(configured: [APITokenConfiguration(name: "a", token: nil) { $0.hash = hash }]
        )
        #expect(self.caller(authority, text) == "a")
        #expect(self.caller(authority, hash) == "unauthorized")
    }

    @Test func useIsKeptOnceAnHour() async throws {
        let authority = try self.authority()
        let made = try authority.create(name: "a", scopes: [.read], devices: nil, lifetime: nil)
        let (token, text) = (made.token, made.text)
        for _ in 0..<5 { _ = self.caller(authority, text) }
        await self.pass(3600)
        _ = self.caller(authority, text)
        #expect(await self.uses.next() == token.id)
        #expect(await self.uses.next() == token.id)
        #expect(authority.list.first?.used?.seconds == 1_003_600)
    }

    @Test func revokingSaysWhatItCannot() throws {
        let authority = try self.authority(
            configured: [APITokenConfiguration(name: "file", token: Secret("0123456789abcdef0123456789abcdef"))])
        for _ in 0..<2 { _ = try authority.create(name: "twice", scopes: [.read], devices: nil, lifetime: nil) }
        for (name, code) in [
            ("nobody", "unknown_token"), ("twice", "ambiguous_token"), ("file", "configured_token"),
            ("config:file", "configured_token"),
        ] {
            do throws(OperationProblem) {
                _ = try authority.revoke(name)
                Issue.record("'\(name)' was revoked")
            } catch {
                #expect(error.code == code)
            }
        }
        #expect(authority.list.count == 3)
    }

    @Test func nothingIsMadeThatCannotBeKept() throws {
        let authority = try self.authority(obstacle: "the disk is full")
        #expect(throws: OperationProblem.self) {
            try authority.create(name: "a", scopes: [.read], devices: nil, lifetime: nil)
        }
        #expect(authority.isOpenToLoopback)
    }

    @Test func anAddressHasTenGuessesAndThenOneASecond() async throws {
        let authority = try self.authority()
        for _ in 0..<10 { #expect(self.caller(authority, "wrong") == "unauthorized") }
        #expect(self.caller(authority, "wrong") == "too_many_attempts")
        #expect(self.caller(authority, "wrong", from: "192.0.2.8") == "unauthorized")
        await self.pass(1)
        #expect(self.caller(authority, "wrong") == "unauthorized")
        #expect(self.caller(authority, "wrong") == "too_many_attempts")
    }
}
