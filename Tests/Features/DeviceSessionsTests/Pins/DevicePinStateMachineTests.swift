import CastDiscovery
import CastwayTestSupport
import NIOCore
import Testing

@testable import DeviceSessions

/// Devices that come, go and come back, at instants of the test's own.
@Suite struct DevicePinStateMachineTests {
    private typealias Machine = DevicePinStateMachine

    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private static func at(_ seconds: Int64) -> NIODeadline { Self.start + .seconds(seconds) }

    private static func id(_ number: Int) throws -> DeviceID {
        try #require(DeviceID(String(repeating: "0", count: 28) + String(number + 1000)))
    }

    private static func host(_ number: Int) -> String { "192.0.2.\(number)" }

    private static func candidate(
        _ number: Int, name: String? = nil, host: String? = nil
    ) throws -> Machine.Candidate {
        Machine.Candidate(
            id: try Self.id(number),
            traits: DevicePin.Traits(
                friendlyName: name ?? "TV \(number)", model: "Chromecast", capabilities: [.videoOut]),
            addresses: [DeviceAddress(host: host ?? Self.host(number), port: 8009)])
    }

    private static func machine(atMost: Int = 3, perHost: Int = 3, pins: [DevicePin] = []) -> Machine {
        var machine = Machine(pins: pins)
        let template = Machine.Template(
            atMost: atMost, atMostPerHost: perHost, ports: 8100...8109, grace: .seconds(30))
        _ = machine.handle(.configured(template), at: Self.start, time: 0)
        return machine
    }

    /// Takes a device that has settled all the way to its virtual device.
    private static func pin(_ number: Int, in machine: inout Machine, at seconds: Int64) throws -> DevicePin {
        let id = try Self.id(number)
        _ = machine.handle(.timePassed, at: Self.at(seconds), time: seconds)
        let actions = machine.handle(.proved(id, host: Self.host(number)), at: Self.at(seconds), time: seconds)
        guard case .make(let pin) = actions.first else { throw TestFailure(description: "\(actions)") }
        #expect(machine.handle(.made(id), at: Self.at(seconds), time: seconds).first == .tellPresent(pin))
        return pin
    }

    private struct TestFailure: Error { let description: String }

    @Test func aDeviceIsProvedWhenItHasSettledAndPinnedWhenItIsReached() throws {
        var machine = Self.machine()
        let one = try Self.candidate(1)
        #expect(machine.handle(.listed([one]), at: Self.at(0), time: 0).isEmpty)
        #expect(machine.nextDeadline == Self.at(5))
        #expect(machine.handle(.timePassed, at: Self.at(4), time: 4).isEmpty)
        #expect(machine.handle(.timePassed, at: Self.at(5), time: 5) == [.prove(one)])
        #expect(machine.nextDeadline == nil, "one at a time")
        let pin = try Self.pin(1, in: &machine, at: 6)
        #expect(pin.name == "auto-00000000" && pin.port == 8100 && pin.pinnedAt == 6)
        #expect(machine.isThere(one.id))
        #expect(machine.pins == [pin])
    }

    @Test func onlyOneDeviceIsWorkedOn() throws {
        var machine = Self.machine()
        let all = try (1...3).map { try Self.candidate($0) }
        _ = machine.handle(.listed(all), at: Self.at(0), time: 0)
        #expect(machine.handle(.timePassed, at: Self.at(9), time: 9) == [.prove(all[0])])
        #expect(machine.handle(.timePassed, at: Self.at(10), time: 10).isEmpty)
        let made = machine.handle(.proved(all[0].id, host: Self.host(1)), at: Self.at(10), time: 10)
        #expect(made.count == 1)
        #expect(machine.handle(.timePassed, at: Self.at(11), time: 11).isEmpty)
        let next = machine.handle(.made(all[0].id), at: Self.at(11), time: 11)
        #expect(next.count == 1 && machine.nextDeadline == Self.at(5))
        #expect(machine.handle(.timePassed, at: Self.at(11), time: 11) == [.prove(all[1])])
        // What is not asked for changes nothing.
        #expect(machine.handle(.proved(all[2].id, host: Self.host(3)), at: Self.at(12), time: 12).isEmpty)
        #expect(machine.pins.count == 1)
    }

    @Test func aDeviceThatCannotBeReachedIsTriedAgainMoreAndMoreSeldom() throws {
        var machine = Self.machine()
        let one = try Self.candidate(1)
        _ = machine.handle(.listed([one]), at: Self.at(0), time: 0)
        var now: Int64 = 5
        for pause in [30, 60, 120, 240, 480, 600, 600] as [Int64] {
            #expect(machine.handle(.timePassed, at: Self.at(now), time: now) == [.prove(one)])
            #expect(machine.handle(.proved(one.id, host: nil), at: Self.at(now), time: now).isEmpty)
            #expect(machine.nextDeadline == Self.at(now + pause))
            now += pause
        }
        #expect(machine.pins.isEmpty)
        _ = machine.handle(.listed([]), at: Self.at(now), time: now)
        #expect(machine.nextDeadline == nil, "one that is gone is not waited for")
    }

    @Test func aDeviceThatIsGoneBeforeItSettledCostsNothing() throws {
        var machine = Self.machine()
        _ = machine.handle(.listed([try Self.candidate(1)]), at: Self.at(0), time: 0)
        _ = machine.handle(.listed([]), at: Self.at(4), time: 4)
        #expect(machine.handle(.timePassed, at: Self.at(60), time: 60).isEmpty)
    }

    @Test func oneThatGoesIsWithdrawnAfterTheGraceAndKeepsItsPlace() throws {
        var machine = Self.machine()
        let one = try Self.candidate(1)
        _ = machine.handle(.listed([one]), at: Self.at(0), time: 0)
        _ = machine.handle(.timePassed, at: Self.at(5), time: 5)
        let pin = try Self.pin(1, in: &machine, at: 5)
        #expect(machine.handle(.listed([]), at: Self.at(10), time: 10).isEmpty)
        #expect(machine.isThere(one.id))
        #expect(machine.nextDeadline == Self.at(40))
        // Back in time: nothing has happened.
        #expect(machine.handle(.listed([one]), at: Self.at(39), time: 39).isEmpty)
        #expect(machine.handle(.timePassed, at: Self.at(50), time: 50).isEmpty)
        _ = machine.handle(.listed([]), at: Self.at(60), time: 60)
        var away = pin
        away.seenAt = 90
        #expect(machine.handle(.timePassed, at: Self.at(90), time: 90) == [.keep(away), .tellAbsent(away)])
        #expect(!machine.isThere(one.id))
        #expect(machine.pins.map(\.port) == [8100])
        var back = pin
        back.seenAt = 1000
        let actions = machine.handle(.listed([one]), at: Self.at(1000), time: 1000)
        #expect(actions == [.keep(back), .tellPresent(back)])
        #expect(machine.isThere(one.id))
    }

    @Test func earlierPinsAreAwayUntilTheyAreHeard() throws {
        let pin = DevicePin(
            id: try Self.id(1), name: "auto-old", port: 8105, traits: try Self.candidate(1).traits, pinnedAt: 1,
            seenAt: 2)
        var machine = Self.machine(pins: [pin])
        #expect(!machine.isThere(pin.id))
        #expect(machine.nextDeadline == nil)
        let actions = machine.handle(.listed([try Self.candidate(1)]), at: Self.at(1), time: 9)
        #expect(actions.count == 2 && machine.isThere(pin.id))
        #expect(machine.pins.map(\.name) == ["auto-old"] && machine.pins.map(\.port) == [8105])
    }

    @Test func beyondTheLimitNewDevicesAreRefusedOnceAndNobodyLosesItsPlace() throws {
        var machine = Self.machine(atMost: 2)
        let old = try Self.candidate(1)
        _ = machine.handle(.listed([old, try Self.candidate(2)]), at: Self.at(0), time: 0)
        _ = machine.handle(.timePassed, at: Self.at(5), time: 5)
        _ = try Self.pin(1, in: &machine, at: 5)
        _ = try Self.pin(2, in: &machine, at: 6)
        // Long absent, and kept all the same.
        let others = try (3...9).map { try Self.candidate($0) }
        _ = machine.handle(.listed(others), at: Self.at(100), time: 100)
        let told = machine.handle(.timePassed, at: Self.at(200), time: 200).filter {
            if case .tellFull = $0 { true } else { false }
        }
        #expect(told == [.tellFull(count: 7)])
        #expect(machine.refusedCount == 7)
        #expect(machine.nextDeadline == nil, "nothing is due while there is no room")
        #expect(machine.handle(.listed(others), at: Self.at(300), time: 300).isEmpty)
        #expect(machine.handle(.timePassed, at: Self.at(400), time: 400).isEmpty)
        // Room is made by command alone.
        let freed = machine.handle(.forgotten(old.id), at: Self.at(500), time: 500)
        guard freed.count == 1, case .remove(let gone) = freed.first else {
            Issue.record("\(freed)")
            return
        }
        #expect(gone.id == old.id)
        #expect(machine.handle(.timePassed, at: Self.at(500), time: 500) == [.prove(others[0])])
        let third = try Self.pin(3, in: &machine, at: 501)
        #expect(third.port == 8100)
    }

    /// One machine that announces inventions takes its own places, and no others.
    @Test func oneAddressTakesNotAllPlaces() throws {
        var machine = Self.machine(perHost: 2)
        let inventions = try (1...4).map { try Self.candidate($0, host: Self.host(9)) }
        let screen = try Self.candidate(5)
        _ = machine.handle(.listed(inventions + [screen]), at: Self.at(0), time: 0)
        for (number, candidate) in zip(1..., inventions.prefix(2)) {
            #expect(machine.handle(.timePassed, at: Self.at(5), time: 5) == [.prove(candidate)])
            _ = machine.handle(.proved(candidate.id, host: Self.host(9)), at: Self.at(5), time: 5)
            _ = machine.handle(.made(candidate.id), at: Self.at(5), time: 5)
            #expect(machine.pins.count == number)
        }
        #expect(
            machine.handle(.timePassed, at: Self.at(6), time: 6) == [.tellCrowded(host: Self.host(9)), .prove(screen)])
        #expect(machine.refusedCount == 2)
        _ = try Self.pin(5, in: &machine, at: 6)
        #expect(machine.nextDeadline == nil, "it is told once")
        // One that answers elsewhere than it was heard first is counted where it answers.
        _ = machine.handle(.forgotten(screen.id), at: Self.at(7), time: 7)
        let sly = try Self.candidate(6)
        _ = machine.handle(.listed(inventions + [sly]), at: Self.at(7), time: 7)
        #expect(machine.handle(.timePassed, at: Self.at(12), time: 12) == [.prove(sly)])
        #expect(machine.handle(.proved(sly.id, host: Self.host(9)), at: Self.at(12), time: 12).isEmpty)
        #expect(machine.pins.count == 2)
        #expect(machine.handle(.timePassed, at: Self.at(99), time: 99).isEmpty, "it is not asked again")
        // A place that is free at the address is taken.
        _ = machine.handle(.listed([inventions[1], inventions[2]]), at: Self.at(13), time: 13)
        _ = machine.handle(.forgotten(inventions[0].id), at: Self.at(14), time: 14)
        #expect(machine.handle(.timePassed, at: Self.at(14), time: 14) == [.prove(inventions[2])])
    }

    /// What is announced moves nothing: a device is counted where it has answered.
    @Test func aDeviceThatMovesIsCountedWhereItAnswers() throws {
        let id = try Self.id(1)
        let traits = try Self.candidate(1).traits
        let old = DevicePin(
            id: id, name: "auto-00000000", port: 8100, traits: traits, host: Self.host(1), pinnedAt: 0, seenAt: 0)
        var machine = Self.machine(perHost: 1, pins: [old])
        let moved = try Self.candidate(1, host: Self.host(7))
        let other = try Self.candidate(2, host: Self.host(7))
        _ = machine.handle(.listed([moved, other]), at: Self.at(0), time: 0)
        // The other one is no worse for it.
        #expect(machine.handle(.timePassed, at: Self.at(5), time: 5) == [.prove(other)])
        _ = machine.handle(.proved(other.id, host: nil), at: Self.at(5), time: 5)
        #expect(machine.nextDeadline == Self.at(30))
        #expect(machine.handle(.timePassed, at: Self.at(30), time: 30) == [.prove(moved)])
        #expect(machine.handle(.proved(id, host: nil), at: Self.at(30), time: 30).isEmpty)
        #expect(machine.pins == [old], "nobody answers there")
        #expect(machine.handle(.timePassed, at: Self.at(35), time: 35) == [.prove(other)])
        _ = machine.handle(.proved(other.id, host: nil), at: Self.at(35), time: 35)
        #expect(machine.handle(.timePassed, at: Self.at(60), time: 60) == [.prove(moved)])
        let kept = machine.handle(.proved(id, host: Self.host(7)), at: Self.at(60), time: 60)
        guard case .keep(let pin) = kept.first else {
            Issue.record("\(kept)")
            return
        }
        #expect(pin.host == Self.host(7))
        #expect(machine.handle(.timePassed, at: Self.at(99), time: 99) == [.tellCrowded(host: Self.host(7))])
        // Back where it was, and nothing is asked.
        _ = machine.handle(.listed([moved]), at: Self.at(100), time: 100)
        #expect(machine.nextDeadline == nil)
    }

    /// A machine whose ports say nothing, however many it announces, does not keep others waiting.
    @Test func silentAddressesComeLast() throws {
        var machine = Self.machine(perHost: 2)
        let silent = try (1...9).map { try Self.candidate($0, host: Self.host(9)) }
        let screen = try Self.candidate(50)
        _ = machine.handle(.listed(silent + [screen]), at: Self.at(0), time: 0)
        for candidate in silent.prefix(2) {
            #expect(machine.handle(.timePassed, at: Self.at(5), time: 5) == [.prove(candidate)])
            _ = machine.handle(.proved(candidate.id, host: nil), at: Self.at(5), time: 5)
        }
        #expect(machine.handle(.timePassed, at: Self.at(5), time: 5) == [.prove(screen)])
        _ = machine.handle(.proved(screen.id, host: Self.host(50)), at: Self.at(5), time: 5)
        _ = machine.handle(.made(screen.id), at: Self.at(5), time: 5)
        #expect(machine.handle(.timePassed, at: Self.at(5), time: 5) == [.prove(silent[2])])
    }

    @Test func aReloadThatMakesRoomLosesNoDevice() throws {
        var machine = Self.machine(atMost: 1)
        let all = try (1...2).map { try Self.candidate($0) }
        _ = machine.handle(.listed(all), at: Self.at(0), time: 0)
        _ = try Self.pin(1, in: &machine, at: 5)
        _ = machine.handle(.timePassed, at: Self.at(6), time: 6)
        #expect(machine.refusedCount == 1)
        let wider = Machine.Template(atMost: 2, atMostPerHost: 3, ports: 8100...8109, grace: .seconds(30))
        #expect(machine.handle(.configured(wider), at: Self.at(7), time: 7).isEmpty)
        #expect(machine.handle(.listed(all), at: Self.at(7), time: 7) == [.prove(all[1])])
    }

    @Test func portsThatWereAllAvoidedAreTriedAgain() throws {
        var machine = Machine(pins: [])
        let template = Machine.Template(atMost: 1, atMostPerHost: 3, ports: 8100...8100, grace: .seconds(30))
        _ = machine.handle(.configured(template), at: Self.start, time: 0)
        let one = try Self.candidate(1)
        _ = machine.handle(.listed([one]), at: Self.at(0), time: 0)
        _ = machine.handle(.timePassed, at: Self.at(5), time: 5)
        _ = machine.handle(.proved(one.id, host: Self.host(1)), at: Self.at(5), time: 5)
        _ = machine.handle(.notMade(one.id), at: Self.at(6), time: 6)
        _ = machine.handle(.listed([one]), at: Self.at(7), time: 7)
        #expect(try Self.pin(1, in: &machine, at: 60).port == 8100)
    }

    @Test func aPortThatIsTakenIsNotTriedTwice() throws {
        var machine = Self.machine()
        let one = try Self.candidate(1)
        _ = machine.handle(.listed([one]), at: Self.at(0), time: 0)
        _ = machine.handle(.timePassed, at: Self.at(5), time: 5)
        let made = machine.handle(.proved(one.id, host: Self.host(1)), at: Self.at(5), time: 5)
        guard case .make(let pin) = made.first else {
            Issue.record("\(made)")
            return
        }
        #expect(machine.handle(.notMade(one.id), at: Self.at(6), time: 6) == [.remove(pin)])
        #expect(machine.pins.isEmpty)
        _ = machine.handle(.listed([one]), at: Self.at(7), time: 7)
        #expect(machine.nextDeadline == Self.at(36))
        #expect(machine.handle(.timePassed, at: Self.at(36), time: 36) == [.prove(one)])
        let pinned = try Self.pin(1, in: &machine, at: 36)
        #expect(pinned.port == 8101)
    }

    @Test func anotherNameIsBelievedAfterAWhile() throws {
        var machine = Self.machine()
        _ = machine.handle(.listed([try Self.candidate(1)]), at: Self.at(0), time: 0)
        _ = machine.handle(.timePassed, at: Self.at(5), time: 5)
        _ = try Self.pin(1, in: &machine, at: 5)
        // Names that change all the time come to one change in the pause.
        var kept: [String] = []
        for second in 10...69 as ClosedRange<Int64> {
            let candidate = try Self.candidate(1, name: "Name \(second)")
            for case .keep(let pin) in machine.handle(.listed([candidate]), at: Self.at(second), time: second) {
                kept.append(pin.traits.friendlyName)
            }
        }
        #expect(kept == ["Name 40"])
        #expect(machine.pins.map(\.traits.friendlyName) == ["Name 40"])
        // What is taken back in time was never there.
        _ = machine.handle(.listed([try Self.candidate(1, name: "Name 40")]), at: Self.at(70), time: 70)
        #expect(machine.nextDeadline == nil)
    }

    @Test func withoutATemplateNothingIsPinned() throws {
        var machine = Self.machine()
        _ = machine.handle(.listed([try Self.candidate(1)]), at: Self.at(0), time: 0)
        _ = machine.handle(.configured(nil), at: Self.at(1), time: 1)
        #expect(machine.nextDeadline == nil)
        #expect(machine.handle(.listed([try Self.candidate(1)]), at: Self.at(2), time: 2).isEmpty)
        #expect(machine.handle(.timePassed, at: Self.at(60), time: 60).isEmpty)
    }

    @Test func idsThatBeginAlikeGetNamesOfTheirOwn() throws {
        var taken: Set<String> = []
        let id = try #require(DeviceID("0123456789abcdef0123456789abcdef"))
        while let name = DevicePin.name(for: id, among: taken) {
            #expect(name.hasPrefix("auto-01234567") && name.utf8.count <= 32)
            #expect(taken.insert(name).inserted)
        }
        #expect(taken.count == 6)
    }

    @Test func whatADeviceSaysOfItselfIsMadeFitToBeAnnounced() {
        let traits = DevicePin.Traits(
            friendlyName: "Hall\u{1B}[2J\n" + String(repeating: "é", count: 200),
            model: String(repeating: "m", count: 99), capabilities: [])
        #expect(traits.friendlyName.hasPrefix("Hall[2Jé") && traits.friendlyName.utf8.count <= 150)
        #expect(traits.model.utf8.count == 64)
    }

    /// However a network behaves: never more pins than allowed, every name and port once, one device at a time, no loop.
    @Test func aHostileNetworkStaysWithinTheLimits() throws {
        var random = SeededGenerator(seed: 7)
        var machine = Self.machine(atMost: 5, perHost: 2)
        var open: Machine.Candidate?
        var now = Self.start
        for step in 0..<20_000 {
            let time = Int64(step)
            let heard = try (0..<Int.random(in: 0...40, using: &random)).map { _ in
                let name = "\(Int.random(in: 0...3, using: &random))"
                let number = Int.random(in: 1...99, using: &random)
                return try Self.candidate(number, name: name, host: Self.host(Int.random(in: 0...3, using: &random)))
            }
            let event: Machine.Event =
                switch Int.random(in: 0...9, using: &random) {
                case 0: .timePassed
                case 1: .forgotten(try Self.id(Int.random(in: 1...99, using: &random)))
                case 2...5: .listed(heard)
                case 6: open.map { .made($0.id) } ?? .timePassed
                case 7: open.map { .notMade($0.id) } ?? .timePassed
                default:
                    open.map { .proved($0.id, host: Bool.random(using: &random) ? $0.addresses.first?.host : nil) }
                        ?? .timePassed
                }
            var begun = 0
            let actions = machine.handle(event, at: now, time: time) + machine.handle(.timePassed, at: now, time: time)
            for case .prove(let candidate) in actions {
                open = candidate
                begun += 1
            }
            #expect(begun <= 1)
            let pins = machine.pins
            #expect(pins.count <= 5)
            #expect(Set(pins.map(\.port)).count == pins.count && Set(pins.map(\.name)).count == pins.count)
            #expect(pins.allSatisfy { (8100...8109).contains($0.port) })
            // Moves may bring more together; new ones come only where there is room.
            for case .make(let pin) in actions { #expect(pins.count { $0.host == pin.host } <= 2) }
            #expect(machine.nextDeadline.map { $0 > now } ?? true, "time that has passed is done with")
            now = now + .milliseconds(Int64.random(in: 0...20_000, using: &random))
        }
    }
}
