import GatewayConfig
import NIOCore
import Testing

@testable import MessageBridges

@Suite final class WebhookRouteTests {
    private static let refusal = WebhookFailure.refusedAddress("refused")
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private var route = WebhookRoute()
    private let first: IPAddress
    private let second: IPAddress

    init() throws {
        self.first = try #require(IPAddress("192.0.2.1"))
        self.second = try #require(IPAddress("192.0.2.2"))
    }

    private func found(_ addresses: [IPAddress], at seconds: Int64 = 0) {
        self.route.found(addresses, refusal: Self.refusal, now: Self.start + .seconds(seconds))
    }

    private func need(at seconds: Int64 = 0) -> (answer: WebhookRoute.Answer, beginsLookUp: Bool) {
        self.route.need(now: Self.start + .seconds(seconds))
    }

    private func pin(at seconds: Int64 = 0) throws -> WebhookRoute.Pin {
        guard case .use(let pin) = self.need(at: seconds).answer else { throw NoPin() }
        return pin
    }

    private func couldNotConnect(_ pin: WebhookRoute.Pin) -> Bool { self.route.couldNotConnect(pin) }

    private func unused() -> [Int] { self.route.takeUnused() }

    private struct NoPin: Error {}

    @Test func oneLookUpServesAllWhoWait() throws {
        #expect(self.need() == (.wait, true))
        #expect(self.need() == (.wait, false))
        self.found([self.first, self.second])
        #expect(try self.pin().address == self.first)
        #expect(!self.need(at: 59).beginsLookUp)
    }

    @Test func aMinuteLaterTheNameIsLookedUpAnewBesideTheAddress() throws {
        _ = self.need()
        self.found([self.first])
        let pin = try self.pin()
        #expect(self.need(at: 60) == (.use(pin), true))
        #expect(self.need(at: 61) == (.use(pin), false))
        self.found([self.second, self.first], at: 61)
        #expect(try self.pin(at: 61) == pin)
        // Too long ago to be used unseen.
        #expect(self.need(at: 61 + 120) == (.wait, true))
    }

    @Test func anotherAddressTakesItsPlaceAndTheOldIsClosedWhenUnused() throws {
        _ = self.need()
        self.found([self.first])
        let old = try self.pin()
        _ = try self.pin(at: 60)
        self.found([self.second], at: 60)
        #expect(try self.pin(at: 60).address == self.second)
        self.route.release(old)
        #expect(self.unused().isEmpty)
        self.route.release(old)
        #expect(self.unused() == [old.id])
        self.route.release(old)
        #expect(self.unused().isEmpty)
    }

    @Test func aNameWithoutAnAllowedAddressIsRefusedForASecond() throws {
        _ = self.need()
        self.found([self.first])
        let old = try self.pin()
        self.route.release(old)
        _ = self.need(at: 60)
        self.route.release(old)
        self.found([], at: 60)
        #expect(self.unused() == [old.id])
        #expect(self.need(at: 60) == (.fail(Self.refusal), false))
        #expect(self.need(at: 61) == (.wait, true))
    }

    @Test func whatWasFoundStaysWhenALookUpFails() throws {
        _ = self.need()
        self.route.notFound(.notFound("x"), now: Self.start)
        #expect(self.need() == (.fail(.notFound("x")), false))
        #expect(self.need(at: 1) == (.wait, true))
        self.found([self.first], at: 1)
        let pin = try self.pin(at: 1)
        #expect(self.need(at: 61) == (.use(pin), true))
        self.route.notFound(.notFound("y"), now: Self.start + .seconds(70))
        #expect(self.need(at: 75) == (.use(pin), false))
    }

    @Test func eachAddressHasItsTurn() throws {
        _ = self.need()
        self.found([self.first, self.second])
        let (one, same) = (try self.pin(), try self.pin())
        #expect(self.couldNotConnect(one))
        let two = try self.pin()
        #expect(two.address == self.second)
        // The other attempt at the first address goes to the second too, and takes nothing from it.
        #expect(self.couldNotConnect(same))
        #expect(try self.pin() == two)
        #expect(!self.couldNotConnect(two))
        #expect(!self.couldNotConnect(two))
        // Within a second the addresses are tried again, then they are looked up.
        #expect(try self.pin().address == self.first)
        #expect(self.couldNotConnect(try self.pin()))
        #expect(!self.couldNotConnect(try self.pin()))
        #expect(self.need(at: 1) == (.wait, true))
    }

    @Test func nothingIsUsedAfterTheEnd() throws {
        _ = self.need()
        self.found([self.first])
        let pin = try self.pin()
        self.route.end()
        #expect(self.need() == (.fail(.ended), false))
        #expect(!self.couldNotConnect(pin))
        self.found([self.second])
        #expect(self.need() == (.fail(.ended), false))
        self.route.release(pin)
        #expect(self.unused() == [pin.id])
    }
}
