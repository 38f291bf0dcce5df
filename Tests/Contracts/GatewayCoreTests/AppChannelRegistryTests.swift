import CastWire
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import GatewayCore

/// Which channels of apps are told, and when.
@Suite struct AppChannelRegistryTests {
    private static let quiz: Namespace = "urn:x-cast:com.example.quiz"
    private static let chat: Namespace = "urn:x-cast:com.example.chat"

    private final class Told: Sendable {
        private let lines = Mutex<[String]>([])
        /// What was told since the last time.
        func take() -> [String] {
            self.lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
        func add(_ event: GatewayEvent) {
            guard case .channel(let channel, let change) = event else { return }
            let name = channel.namespace.rawValue.split(separator: ".").last ?? ""
            self.lines.withLock {
                $0.append("\(change.name.split(separator: ".")[1]) \(name) \(channel.isWritable)")
            }
        }
    }

    private let book = AppChannelRegistry()
    private let told = Told()

    init() {
        self.book.attach { [told] in told.add($0) }
    }

    private func owner(_ number: UInt64, _ peer: EndpointID = "sender-0", from address: String = "192.0.2.7")
        -> AppChannel.Owner
    {
        .sender(
            connection: ConnectionID(rawValue: number), pair: VirtualConnection(local: "web-1", peer: peer),
            address: address)
    }

    private func note(
        _ owner: AppChannel.Owner, _ namespaces: [Namespace] = [Self.quiz, Self.chat], session: String = "s-1",
        at seconds: Int64 = 0
    ) {
        self.book.note(
            owner, device: "hall", app: "ABCD1234", sessionID: session, namespaces: namespaces, isWritable: true,
            at: .uptimeNanoseconds(0) + .seconds(seconds))
    }

    @Test func nothingIsToldOfNamespacesThatNothingNames() {
        self.note(self.owner(1))
        self.book.note(isWritable: false, of: ConnectionID(rawValue: 1))
        self.book.removeAll(of: ConnectionID(rawValue: 1), reason: "gone")
        #expect(self.told.take() == [])
        #expect(self.book.connectionCount == 0)
    }

    @Test func aChannelIsToldFromItsBeginningToItsEnd() {
        self.book.follow([.exact(Self.quiz)], for: "channels")
        self.note(self.owner(1))
        #expect(self.told.take() == ["connected quiz true"])
        // The same again is no news.
        self.note(self.owner(1))
        self.book.note(isWritable: true, of: ConnectionID(rawValue: 1))
        #expect(self.told.take() == [])
        self.book.note(isWritable: false, of: ConnectionID(rawValue: 1))
        self.book.note(isWritable: true, of: ConnectionID(rawValue: 1))
        #expect(self.told.take() == ["writable quiz false", "writable quiz true"])
        self.book.remove(self.owner(1), reason: "closed")
        self.book.remove(self.owner(1), reason: "closed")
        #expect(self.told.take() == ["disconnected quiz true"])
    }

    @Test func aNamespaceThatIsFollowedLaterIsToldThen() {
        self.note(self.owner(1))
        self.book.follow(RecordedNamespaces(named: [Self.chat]))
        #expect(self.told.take() == ["connected chat true"])
        // What was told is told to its end, though it is not named any more.
        self.book.follow(RecordedNamespaces())
        self.book.removeAll(of: ConnectionID(rawValue: 1), reason: "gone")
        #expect(self.told.take() == ["disconnected chat true"])
    }

    @Test func anAppThatListsAnotherNamespaceConnectsAndDisconnects() {
        self.book.follow([.exact(Self.quiz), .exact(Self.chat)], for: "channels")
        self.note(self.owner(1), [Self.quiz])
        self.note(self.owner(1), [Self.chat])
        #expect(self.told.take() == ["connected quiz true", "disconnected quiz true", "connected chat true"])
        // Another session of the app is another channel.
        self.note(self.owner(1), [Self.chat], session: "s-2")
        #expect(self.told.take() == ["disconnected chat true", "connected chat true"])
    }

    @Test func sessionsAndSendersAreApart() {
        self.book.follow([.exact(Self.quiz)], for: "channels")
        self.note(.session(1))
        self.note(self.owner(1, "sender-0"))
        self.note(self.owner(1, "sender-1"))
        #expect(self.told.take().count == 3)
        self.book.note(isWritable: false, ofSession: 1)
        #expect(self.told.take() == ["writable quiz false"])
        self.book.removeAll(of: ConnectionID(rawValue: 1), reason: "gone")
        #expect(self.told.take().count == 2)
        #expect(self.book.connectionCount == 1)
    }

    @Test func anAddressCannotCauseEventsWithoutEnd() {
        self.book.follow([.exact(Self.quiz)], for: "channels")
        for number in 1...200 {
            self.note(self.owner(UInt64(number)))
            self.book.removeAll(of: ConnectionID(rawValue: UInt64(number)), reason: "gone")
        }
        #expect(self.told.take().count == 2 * AppChannelRegistry.connectionsPerMinute)
        self.note(self.owner(300, from: "192.0.2.8"))
        #expect(self.told.take() == ["connected quiz true"])
        // A minute later it is told of again; what was left out has no end either.
        self.note(self.owner(301), at: 61)
        #expect(self.told.take() == ["connected quiz true"])
    }

    @Test func aListWithoutEndIsCut() {
        self.book.follow([NamespacePattern("*")].compactMap { $0 }, for: "channels")
        let many = (0..<1000).map { Namespace(rawValue: "urn:x-cast:com.example.n\($0)") }
        self.book.follow(RecordedNamespaces(named: Set(many)))
        self.note(self.owner(1), many)
        #expect(self.told.take().count == AppChannelRegistry.maximumNamespaces)
    }

    @Test func writabilityIsToldOnceASecond() {
        let loop = EmbeddedEventLoop()
        var told: [Bool] = []
        let notes = WritabilityNotes(eventLoop: loop) { told.append($0) }
        notes.note(true)
        #expect(told == [])
        for isWritable in [false, true, false, true, false] { notes.note(isWritable) }
        #expect(told == [false])
        loop.advanceTime(by: .seconds(1))
        #expect(told == [false])
        notes.note(true)
        notes.note(false)
        loop.advanceTime(by: .milliseconds(999))
        #expect(told == [false, true])
        loop.advanceTime(by: .milliseconds(1))
        #expect(told == [false, true, false])
        notes.reset()
        loop.advanceTime(by: .seconds(5))
        #expect(told == [false, true, false])
    }
}
