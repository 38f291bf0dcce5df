import CastIdentity
import CastWire
import CastwayTestSupport
import ControlAPI
import GatewayCore
import GatewayOperations
import NIOCore
import NIOEmbedded
import Testing

@testable import CallerAccess
@testable import GuestAccess

/// Join codes and guests; the tests own the time.
@Suite(.timeLimit(.minutes(2))) struct JoinCodeServiceTests {
    private static let address = JoinDeskBench.address

    private typealias Bench = JoinDeskBench

    private static func other(_ digits: String) -> String {
        String(digits.map { $0 == "9" ? "0" : Character(String(($0.wholeNumberValue ?? 0) + 1)) })
    }

    // MARK: Redeeming

    @Test func digitsAndLinkAreRedeemedOnce() throws {
        let bench = try Bench()
        let first = try bench.create()
        #expect(first.digits.count == 8 && first.link.count == 22 && !bench.mayConnect())
        let guest = bench.redeem(.digits(first.digits))
        #expect(guest.hasPrefix("g-") && bench.mayConnect() && !bench.mayConnect("192.0.2.8"))
        #expect(!bench.mayConnect(to: "room-13"))
        // The same phone again, and another.
        #expect(bench.redeem(.digits(first.digits)) == guest)
        #expect(bench.redeem(.link(first.link)) == guest)
        #expect(bench.redeem(.digits(first.digits), from: "192.0.2.8") == "code_refused")
        #expect(bench.redeem(.link(first.link), from: "192.0.2.8") == "code_refused")
        let second = try bench.create(["room-1*"])
        #expect(bench.redeem(.link(second.link), from: "192.0.2.8").hasPrefix("g-"))
        #expect(bench.mayConnect("192.0.2.8", to: "room-19") && !bench.mayConnect("192.0.2.8", to: "hall"))
        #expect(bench.desk.codes.map(\.state) == [.used, .used])
        #expect(bench.hasAudited(.joinCodeCreated, first.code.id) && bench.hasAudited(.guestJoined, guest))
        #expect(bench.hasAudited(.joinRefused, "code_refused"))
    }

    @Test func aCodeIsOverWhenItsTimeIs() throws {
        let bench = try Bench()
        let made = try bench.create(lifetime: 60)
        bench.time.pass(59)
        let late = try bench.create(uses: 2, lifetime: 60)
        bench.time.pass(1)
        #expect(bench.redeem(.digits(made.digits)) == "code_refused")
        #expect(bench.redeem(.link(made.link)) == "code_refused")
        #expect(bench.desk.codes.map(\.code.id) == [late.code.id])
        #expect(bench.redeem(.digits(late.digits)).hasPrefix("g-"))
    }

    @Test func aRevokedCodeIsRefusedAndItsGuestsStay() throws {
        let bench = try Bench()
        let made = try bench.create(uses: 5)
        _ = bench.redeem(.digits(made.digits))
        _ = try bench.desk.revoke(made.code.id, by: .admin)
        #expect(bench.redeem(.digits(made.digits), from: "192.0.2.8") == "code_refused")
        #expect(bench.mayConnect())
        #expect(throws: OperationProblem.self) { try bench.desk.revoke(made.code.id, by: .admin) }
        #expect(bench.hasAudited(.joinCodeRevoked, made.code.id))
    }

    /// The right to connect goes with an address that says who it is.
    @Test(arguments: [nil, "2001:db8::7", "::1", "local", "192.0.2", "192.0.2.7.1", ""])
    func onlyAnIPv4AddressMayConnect(_ address: String?) throws {
        let bench = try Bench()
        let made = try bench.create()
        #expect(bench.redeem(.link(made.link), from: address) == "address_not_usable")
        // Nothing was used up by it, and it is no wrong code.
        for _ in 0..<9 { #expect(bench.redeem(.digits(made.digits), from: address) == "address_not_usable") }
        #expect(bench.redeem(.link(made.link)).hasPrefix("g-"))
    }

    // MARK: Guessing

    @Test func anAddressThatGuessesHasToWait() async throws {
        let bench = try Bench()
        let made = try bench.create(uses: 9)
        let wrong = Self.other(made.digits)
        for _ in 0..<5 { #expect(bench.redeem(.digits(wrong)) == "code_refused") }
        // Even the right digits, else guessing went on.
        #expect(bench.redeem(.digits(made.digits)) == "too_many_attempts")
        #expect(bench.desk.codes.first?.code.attempts == 5)
        // The link is too long to be guessed, and others are not concerned.
        #expect(bench.redeem(.link(made.link)).hasPrefix("g-"))
        #expect(bench.redeem(.digits(made.digits), from: "192.0.2.8").hasPrefix("g-"))
        await bench.pass(30)
        #expect(bench.redeem(.digits(made.digits)).hasPrefix("g-"))
        #expect(bench.hasAudited(.joinRefused, "too_many_attempts"))
    }

    @Test func aWrongLinkCountsToo() throws {
        let bench = try Bench()
        let made = try bench.create()
        for _ in 0..<5 { #expect(bench.redeem(.link(ShownCode.makeLink())) == "code_refused") }
        #expect(bench.redeem(.link(ShownCode.makeLink())) == "too_many_attempts")
        #expect(bench.redeem(.digits(made.digits)) == "too_many_attempts")
        #expect(bench.redeem(.link(made.link)).hasPrefix("g-"))
    }

    /// Many addresses have no more attempts together than one code bears, and a restart gives them no new ones.
    @Test func manyAddressesExhaustTheDigitsAndNotTheLink() async throws {
        let bench = try Bench()
        let subscription = bench.events.subscribe { if case .join(.codeExhausted) = $0 { true } else { false } }
        let made = try bench.create(uses: 9)
        let wrong = Self.other(made.digits)
        func attempts(_ range: Range<Int>) -> Set<String> {
            Set(range.map { bench.redeem(.digits(wrong), from: "10.0.\($0 / 4 / 256).\($0 / 4 % 256)") })
        }
        #expect(attempts(0..<100) == ["code_refused"])
        try bench.restart()
        #expect(bench.desk.codes.first?.code.attempts == 100)
        #expect(attempts(200..<299) == ["code_refused"])
        let beside = try bench.create(["hall"])
        #expect(bench.redeem(.digits(made.digits), from: "192.0.2.9").hasPrefix("g-"))
        #expect(attempts(400..<401) == ["code_refused"])
        var exhausted: JoinChange?
        for await case .join(let change) in subscription.events {
            exhausted = change
            break
        }
        #expect(exhausted == .codeExhausted(code: made.code.id, name: "room", attempts: 200))
        let states = Dictionary(uniqueKeysWithValues: bench.desk.codes.map { ($0.code.id, $0.state) })
        #expect(states == [made.code.id: .exhausted, beside.code.id: .open])
        #expect(bench.redeem(.digits(made.digits), from: "192.0.2.10") == "code_refused")
        #expect(bench.redeem(.link(made.link), from: "192.0.2.10").hasPrefix("g-"))
        // No other code is concerned, nor those who have joined.
        #expect(bench.redeem(.digits(beside.digits), from: "192.0.2.11").hasPrefix("g-"))
        #expect(bench.mayConnect("192.0.2.9"))
        #expect(bench.hasAudited(.joinCodeExhausted, made.code.id))
    }

    /// Threads that ask at once get no more attempts than one after the other.
    @Test func attemptsAtTheSameMomentAllCount() async throws {
        let bench = try Bench()
        let made = try bench.create()
        let (desk, wrong) = (bench.desk, Self.other(made.digits))
        let codes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    do throws(OperationProblem) {
                        return try desk.redeem(.digits(wrong), from: Self.address, counted: "test").guest.id
                    } catch {
                        return error.code
                    }
                }
            }
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(codes == ["code_refused": 5, "too_many_attempts": 7])
        #expect(desk.codes.first?.code.attempts == 5)
    }

    @Test func theLastUseIsTakenOnce() async throws {
        let bench = try Bench()
        let made = try bench.create()
        let (desk, link) = (bench.desk, made.link)
        let guests = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask { (try? desk.redeem(.link(link), from: "192.0.2.\(number)", counted: "test")) != nil }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(guests == 1 && desk.register.guests.count == 1)
    }

    // MARK: What is given

    @Test func aTokenMayDoWhatTheCodeSaysUntilCheckOut() async throws {
        let bench = try Bench()
        let made = try bench.create(["hall"], connects: false, scopes: [.read, .control], stay: 3600)
        let redeemed = try bench.desk.redeem(.digits(made.digits), from: nil, counted: "test")
        let token = try #require(redeemed.token)
        let caller = try bench.authority.caller(showing: CallerCredentials(token: token, address: "192.0.2.1"))
        #expect(caller.scopes == [.read, .control] && caller.devices == [DevicePattern("hall")])
        #expect(redeemed.guest.address == nil && !bench.mayConnect(to: "hall"))
        // A second time there is nothing.
        #expect(bench.redeem(.digits(made.digits), from: nil) == "code_refused")
        // A guest lets no others in, tries no codes, and revokes none.
        #expect(throws: OperationProblem.self) { try bench.create(["hall"], for: caller) }
        let next = try bench.create(["hall"])
        #expect(throws: OperationProblem.self) { try bench.desk.revoke(next.code.id, by: caller) }
        for _ in 0..<300 {
            #expect(throws: OperationProblem.self) {
                try bench.desk.redeem(.digits(Self.other(next.digits)), from: nil, counted: "test", by: caller)
            }
        }
        #expect(bench.redeem(.digits(next.digits)).hasPrefix("g-"))
        _ = try bench.desk.register.checkOut(bench.desk.register.guests.filter { $0.token == nil }, by: .admin)
        let ends = Inbox<String>()
        let watch = bench.authority.watch(caller) { ends.put($0) }
        _ = try bench.desk.register.checkOut([redeemed.guest], by: .admin)
        #expect(await ends.next() == "the token was revoked")
        #expect(throws: OperationProblem.self) {
            try bench.authority.caller(showing: CallerCredentials(token: token, address: "192.0.2.1"))
        }
        #expect(bench.desk.register.guests.isEmpty)
        withExtendedLifetime(watch) {}
    }

    /// What a code gives is no more, and lasts no longer, than what its maker has when it is redeemed.
    @Test func aCodeIsWorthNoMoreThanItsMaker() throws {
        let bench = try Bench()
        func maker(_ devices: [String], lifetime: Int?) throws -> (id: String, caller: Caller) {
            let token = try bench.authority.create(
                name: "desk", scopes: [.control], devices: devices.map { DevicePattern($0) }, lifetime: lifetime)
            return (token.token.id, token.token.caller)
        }
        let short = try maker(["room-1*"], lifetime: 600)
        let made = try bench.create(["room-12"], stay: 86_400, for: short.caller)
        let guest = try bench.desk.redeem(.digits(made.digits), from: Self.address, counted: "test").guest
        #expect(guest.expires == UTCTime(seconds: bench.time.now + 600))
        // One whose maker is revoked is not taken.
        let other = try bench.create(["room-12"], for: short.caller)
        _ = try bench.authority.revoke(short.id)
        #expect(bench.redeem(.link(other.link), from: "192.0.2.8") == "code_refused")
        // What a grant may be.
        let grant = JoinGrant(devices: [DevicePattern("room-12")], connects: true, scopes: [.control], stay: 60)
        #expect(grant.mayBeGiven(by: short.caller))
        for devices in [["room-*"], ["hall"], ["*"], ["room-12", "hall"]] {
            var wider = grant
            wider.devices = devices.map { DevicePattern($0) }
            #expect(!wider.mayBeGiven(by: short.caller), "\(devices)")
        }
        var more = grant
        more.scopes = [.messages]
        #expect(!more.mayBeGiven(by: short.caller))
    }

    // MARK: Time and restarts

    @Test func aGuestLeavesWhenTheTimeIsOver() async throws {
        let bench = try Bench()
        let made = try bench.create(stay: 3000)
        let guest = bench.redeem(.digits(made.digits))
        bench.desk.register.book.joined("session-1", on: "room-12", from: Self.address)
        bench.time.pass(2999)
        #expect(bench.mayConnect())
        bench.time.pass(1)
        // The right is over at once, whenever the timer comes.
        #expect(!bench.mayConnect())
        await bench.eventLoop.advanceTime(by: .seconds(3000))
        let departure = await bench.departures.next()
        #expect(departure?.guest.id == guest && departure?.reason == "the guest's time is over")
        #expect(departure?.sessions == [GuestSession(device: "room-12", session: "session-1")])
        #expect(bench.desk.register.guests.isEmpty && bench.hasAudited(.guestLeft, guest))
    }

    /// A form that is sent twice: the answer that the browser shows is the one that counts.
    @Test func aTokenIsGivenAgainInPlaceOfTheFirst() throws {
        let bench = try Bench()
        let made = try bench.create(["hall"], connects: false, scopes: [.read])
        func redeem(_ address: String) throws -> String? {
            try bench.desk.redeem(.digits(made.digits), from: address, counted: address).token
        }
        func isTaken(_ token: String?) -> Bool {
            (try? bench.authority.caller(showing: CallerCredentials(token: token, address: "192.0.2.1"))) != nil
        }
        let first = try redeem(Self.address)
        let second = try redeem(Self.address)
        #expect(first != second && !isTaken(first) && isTaken(second) && bench.desk.register.guests.count == 1)
        #expect(throws: OperationProblem.self) { try redeem("192.0.2.8") }
        #expect(isTaken(second))
        bench.time.pass(60)
        #expect(throws: OperationProblem.self) { try redeem(Self.address) }
        #expect(isTaken(second) && bench.desk.codes.map(\.code.used) == [1])
        try bench.restart()
        #expect(bench.desk.register.guests.count == 1 && isTaken(second))
    }

    /// A caller of some devices neither redeems codes for others, nor uses their digits up.
    @Test func aLimitedCallerRedeemsCodesForItsDevices() throws {
        let bench = try Bench()
        let hall = try bench.create(["hall"], uses: 2)
        let office = try bench.create(["office"])
        let desk = Caller(name: "desk", scopes: [.control], devices: [DevicePattern("office")])
        func redeem(_ code: String, at address: String) -> String {
            do throws(OperationProblem) {
                return try bench.desk.redeem(.digits(code), from: address, counted: "desk", by: desk).guest.id
            } catch {
                return error.code
            }
        }
        for number in 0..<200 { #expect(redeem(hall.digits, at: "10.0.\(number).1") == "code_refused") }
        #expect(bench.redeem(.digits(hall.digits)).hasPrefix("g-"))
        let states = Dictionary(uniqueKeysWithValues: bench.desk.codes.map { ($0.code.id, $0.state) })
        #expect(states == [hall.code.id: .open, office.code.id: .exhausted])
    }

    /// Nothing asks for guests after the restart: the timer has them leave.
    @Test func timeGoesOnForGuestsAfterARestart() async throws {
        let bench = try Bench()
        let guest = bench.redeem(.digits(try bench.create(stay: 3000).digits))
        try bench.restart()
        await bench.pass(3000)
        let departure = await bench.departures.next()
        #expect(departure?.guest.id == guest)
    }

    @Test func codesGuestsAndTheirAppsSurviveARestart() async throws {
        let bench = try Bench()
        let open = try bench.create(["hall"], uses: 2)
        let used = try bench.create(["room-12"], scopes: [.read], stay: 1000)
        let redeemed = try bench.desk.redeem(.digits(used.digits), from: Self.address, counted: "test")
        let store = try JoinStore(IdentityStore.open(stateDirectory: bench.folder.path).database)
        try store.add(GuestSession(device: "room-12", session: "s-1"), of: redeemed.guest.id)
        try store.add(GuestSession(device: "room-12", session: "s-1"), of: "g-unknown")
        try bench.restart()
        #expect(bench.desk.register.guests == [redeemed.guest] && bench.mayConnect())
        #expect(Set(bench.desk.codes.map(\.code)) == [open.code, self.used(used.code)])
        #expect(bench.redeem(.digits(open.digits), from: "192.0.2.8").hasPrefix("g-"))
        #expect(bench.mayConnect("192.0.2.8", to: "hall"))
        _ = try bench.authority.caller(showing: CallerCredentials(token: redeemed.token, address: "192.0.2.1"))
        // One whose time was over meanwhile.
        bench.time.pass(1000)
        try bench.restart()
        #expect(!bench.mayConnect())
        _ = bench.desk.register.guests
        let departure = await bench.departures.next()
        #expect(departure?.guest.id == redeemed.guest.id)
        #expect(departure?.sessions == [GuestSession(device: "room-12", session: "s-1")])
    }

    private func used(_ code: JoinCode) -> JoinCode {
        var code = code
        code.used += 1
        return code
    }

    @Test func theDatabaseHoldsNoCode() throws {
        let bench = try Bench()
        let made = try bench.create(scopes: [.read])
        let redeemed = try bench.desk.redeem(.digits(made.digits), from: Self.address, counted: "test")
        var found = 0
        for file in ["castway.db", "castway.db-wal", "castway.state"] {
            guard let content = try? bench.folder.read(file) else { continue }
            found += content.utf8.count
            for secret in [made.digits, made.link, ShownCode.readable(made.digits), try #require(redeemed.token)] {
                #expect(!content.contains(secret))
            }
        }
        #expect(found > 0)
        for secret in [made.digits, made.link, try #require(redeemed.token)] {
            #expect(!bench.recorder.entries.contains { "\($0.message) \($0.metadata)".contains(secret) })
        }
    }

    @Test func withoutADiskNoCodeIsMade() throws {
        let bench = try Bench(obstacle: "the disk is full")
        #expect(throws: OperationProblem.self) { try bench.create() }
    }

    @Test func checkOutOfADeviceLeavesTheGuestsOfOthers() throws {
        let bench = try Bench()
        let made = try bench.create(["room-12"], uses: 3)
        let other = try bench.create(["room-13"], uses: 3)
        _ = bench.redeem(.digits(made.digits))
        let beside = bench.redeem(.digits(other.digits), from: "192.0.2.8")
        #expect(try bench.desk.revokeCodes(for: "room-12", by: .admin).map(\.id) == [made.code.id])
        let gone = try bench.desk.register.checkOut(
            bench.desk.register.guests.filter { $0.mayUse(device: "room-12") }, by: .admin)
        #expect(gone.count == 1 && !bench.mayConnect() && bench.mayConnect("192.0.2.8", to: "room-13"))
        #expect(bench.desk.register.guests.map(\.id) == [beside])
        // Twice is as good as once.
        #expect(try bench.desk.register.checkOut(gone.map(\.guest), by: .admin).isEmpty)
    }

    // MARK: What is typed

    @Test func whatAGuestTypesIsRead() {
        for text in ["48271935", "4827 1935", " 4827-1935 ", "4 8 2 7 1 9 3 5"] {
            #expect(ShownCode(text) == .digits("48271935"), "\(text)")
        }
        let link = ShownCode.makeLink()
        #expect(ShownCode(link) == .link(link))
        #expect(ShownCode(linkOrCode: "https://cast.example.com/j/\(link)") == .link(link))
        for text in [
            "", "4827193", "482719356", "4827193a", "４８２７１９３５", String(repeating: " ", count: 40) + "48271935x",
            link + "x",
        ] {
            #expect(ShownCode(text) == nil, "\(text)")
        }
    }
}
