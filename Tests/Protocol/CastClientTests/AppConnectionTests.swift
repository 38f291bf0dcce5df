import CastWire
import NIOCore
import Testing

@testable import CastClient

/// How an app is launched or joined, and how the connection to it stays open. What sessions make of it is tested with them.
@Suite struct AppConnectionTests {
    private static let start = NIODeadline.uptimeNanoseconds(0)

    private static func status(_ apps: ReceiverApplication...) -> ReceiverStatus {
        var status = ReceiverStatus(application: nil, volume: ReceiverVolume(level: 1))
        status.applications = apps
        return status
    }

    private static func app(session: String = "s-1", transport: EndpointID = "t-1") -> ReceiverApplication {
        ReceiverApplication(
            appID: "CC1AD845", displayName: "App", sessionID: session, transportID: transport, namespaces: [.media])
    }

    private static func connected() -> AppConnection {
        var connection = AppConnection(.app("CC1AD845"), at: Self.start)
        _ = connection.start(at: Self.start, isOnline: true)
        _ = connection.answered(.status, .status(Self.status(Self.app())), at: Self.start)
        return connection
    }

    private static func launching() -> AppConnection {
        var connection = AppConnection(.app("CC1AD845"), at: Self.start)
        _ = connection.start(at: Self.start, isOnline: true)
        _ = connection.answered(.status, .status(Self.status()), at: Self.start)
        return connection
    }

    @Test func whatRunsIsJoined() {
        var connection = AppConnection(.app("CC1AD845"), at: Self.start)
        let asked = connection.start(at: Self.start, isOnline: true)
        #expect(asked == [.wait(until: Self.start + .seconds(30)), .ask(.status)])
        let joined = connection.answered(.status, .status(Self.status(Self.app())), at: Self.start)
        #expect(joined == [.cancelRequests, .connect("t-1"), .opened(Self.app())])
        #expect(connection.transport == "t-1")
    }

    /// Devices tell of the app before or after they answer, or without a number.
    @Test func aMessageWithoutANumberMayDo() {
        var connection = Self.launching()
        let other = connection.received(Self.status(), at: Self.start)
        #expect(other.isEmpty)
        let told = connection.received(Self.status(Self.app()), at: Self.start)
        #expect(told == [.cancelRequests, .connect("t-1"), .opened(Self.app())])
        let late = connection.answered(.launch, .status(Self.status(Self.app())), at: Self.start)
        #expect(late.isEmpty)
    }

    @Test func aDeviceThatAsksItsUserGetsMoreTime() {
        var connection = Self.launching()
        let later = Self.start + .seconds(10)
        let asks = connection.consent(.userPendingAuthorization, at: later)
        #expect(asks == [.consent(.userPendingAuthorization), .wait(until: later + .seconds(120))])
        // Once: a device that says so again and again holds no start for ever.
        let again = connection.consent(.userPendingAuthorization, at: later + .seconds(100))
        #expect(again == [.consent(.userPendingAuthorization), .wait(until: later + .seconds(120))])
        let allowed = connection.consent(.userAllowed, at: later)
        #expect(allowed == [.consent(.userAllowed)])
        #expect(connection.isStarting)
    }

    @Test func aUserWhoRefusesEndsTheLaunch() throws {
        var connection = Self.launching()
        let actions = connection.consent(.userNotAllowed, at: Self.start)
        guard case .ended(let error)? = actions.last else {
            Issue.record("it goes on")
            return
        }
        #expect(error.code == .notAllowed && error.reason == "USER_NOT_ALLOWED")
        #expect(!connection.isStarting)
    }

    @Test func anAppThatClosesTheConnectionAndStillRunsIsConnectedToAgain() {
        var connection = Self.connected()
        let closed = connection.closed("t-1", at: Self.start)
        #expect(closed == [.close("t-1"), .interrupted, .ask(.status)])
        #expect(connection.transport == nil)
        let again = connection.answered(.status, .status(Self.status(Self.app())), at: Self.start)
        #expect(again == [.connect("t-1"), .opened(Self.app())])
    }

    @Test func anAppThatClosesTheConnectionAndIsGoneIsGone() {
        var connection = Self.connected()
        _ = connection.closed("t-1", at: Self.start)
        let gone = connection.answered(.status, .status(Self.status()), at: Self.start)
        #expect(gone == [.cancelRequests, .ended(RequestError(.applicationNotRunning, "the app was stopped"))])
    }

    @Test func anAppThatKeepsClosingTheConnectionIsLeft() {
        var connection = Self.connected()
        for _ in 0..<3 {
            _ = connection.closed("t-1", at: Self.start)
            _ = connection.answered(.status, .status(Self.status(Self.app())), at: Self.start)
        }
        let left = connection.closed("t-1", at: Self.start)
        #expect(left.contains(.ended(RequestError(.disconnected, "the app keeps closing its connection"))))
    }

    @Test func anotherSessionOfTheAppTookItsPlace() {
        var connection = Self.connected()
        let actions = connection.received(Self.status(Self.app(session: "s-2", transport: "t-2")), at: Self.start)
        let error = RequestError(
            .replaced, "the app was launched anew by another sender", runningApp: "CC1AD845")
        #expect(actions == [.close("t-1"), .cancelRequests, .ended(error)])
    }

    @Test func aTransportThatMovesIsFollowed() {
        var connection = Self.connected()
        let moved = Self.app(transport: "t-2")
        let actions = connection.received(Self.status(moved), at: Self.start)
        #expect(
            actions == [
                .close("t-1"), .interrupted, .connect("t-2"), .opened(moved), .updated(from: Self.app(), to: moved),
            ])
    }
}
