import CastWire
import CastwayTestSupport
import GatewayCore
import GatewayTesting
import NIOCore

@testable import NamespaceHandlers

/// A message for the property test of rules: how it is written, beside the bytes that come of it.
struct RuleMessage {
    enum Value: Equatable {
        case text(String)
        /// JSON that is no text.
        case other(String)
        /// A text with NUL in it.
        case cut(String)

        var json: String {
            switch self {
            case .text(let text): "\"\(text)\""
            case .other(let json): json
            case .cut(let text): "\"\(text)\\u0000\""
            }
        }
    }

    struct Member: Equatable {
        let name: String
        /// The name with a NUL behind it.
        let isCut: Bool
        let value: Value
    }

    /// What is around the object, or in its place.
    enum Shape: CaseIterable {
        case plain, blanks, byteOrderMark, nul, comment, garbage, unfinished, deep, deepest, notUTF8, binary, words,
            list
    }

    /// A CONNECT: the names that are written in it, and whether something in it is no name.
    struct Introduction: Equatable {
        let text: String?
        var names: [String] = []
        var isUnreadable = false

        static let all = [
            Introduction(text: nil, isUnreadable: true), Introduction(text: #"{"type":"CONNECT"}"#),
            Introduction(text: #"{"type":"CONNECT","userAgent":"PyChromecast"}"#, names: ["PyChromecast"]),
            Introduction(
                text: #"{"type":"CONNECT","userAgent":"CastSDK","senderInfo":{"model":"Pixel 9"}}"#,
                names: ["CastSDK", "Pixel 9"]),
            Introduction(text: #"{"senderInfo":{"model":"Pixel 8"}}"#, names: ["Pixel 8"]),
            Introduction(text: #"{"userAgent":"Pixel 9","userAgent":"Pixel 9"}"#, isUnreadable: true),
            Introduction(text: #"{"userAgent":"Pixel 9","senderInfo":{"model":9}}"#, isUnreadable: true),
            Introduction(text: #"{"userAgent":null,"senderInfo":null}"#),
        ]
    }

    static let sessions = [
        SessionFacts(
            appID: "AAAA0001", sessionID: "s-1", transportID: "web-1", displayName: "", namespaces: []),
        SessionFacts(
            appID: "AAAA0002", universalAppID: "AAAA0003", sessionID: "s-2", transportID: "web-2", displayName: "",
            namespaces: []),
    ]
    static let namespaces: [Namespace] = [
        .receiver, .receiver, .media, .broadcast, .multizone, "urn:x-cast:com.example.quiz",
    ]
    /// Instants in UTC: Monday 09:00, Saturday 23:30, Sunday 01:00, Sunday 12:00, and Monday 01:30.
    static let instants = [1_795_424_400, 1_795_908_600, 1_795_914_000, 1_795_953_600, 1_796_002_200]
    static let addresses = ["192.0.2.7", "::ffff:192.0.2.7", "198.51.100.1", "2001:db8::7", "unknown", nil]

    let namespace: Namespace
    let destination: EndpointID
    let address: String?
    let members: [Member]
    let shape: Shape
    let running: RunningApps
    let payload: CastMessage.Payload
    /// The plugin that sent it; nil for a sender's.
    let plugin: String?
    let hasConnection: Bool
    /// How the sender introduced itself.
    let introduction: Introduction
    /// Which of ``instants`` it is.
    let instant: Int

    init(_ random: inout SeededGenerator) {
        func pick<T>(_ choices: [T]) -> T { choices[random.int(0...choices.count - 1)] }
        self.namespace = pick(Self.namespaces)
        self.destination = pick(["receiver-0", "receiver-0", "*", "web-1", "web-2", "web-9"])
        self.plugin = random.once(in: 5) ? pick(["quiz", "party"]) : nil
        self.hasConnection = self.plugin != nil || !random.once(in: 8)
        self.address = self.plugin == nil ? pick(Self.addresses) : nil
        self.introduction = pick(Introduction.all)
        self.instant = random.int(0...Self.instants.count - 1)
        self.shape = random.once(in: 3) ? pick(Shape.allCases) : .plain
        self.running = RunningApps(
            Self.sessions.filter { _ in !random.once(in: 3) }, isComplete: !random.once(in: 4))
        let values: [String: [String]] = [
            "type": [
                "LAUNCH", "STOP", "QUEUE_LOAD", "GET_STATUS", "GET_APP_AVAILABILITY", "SET_VOLUME", "PLAY", "launch",
            ],
            "responseType": ["LAUNCH", "PLAY"], "appId": ["AAAA0001", "AAAA0002", "AAAA0009", "aaaa0001"],
            "sessionId": ["s-1", "s-2", "web-1", "s-9"], "appIds": ["AAAA0001"], "x": ["LAUNCH"],
        ]
        self.members = (0...random.int(0...4)).map { index in
            let name =
                index == 0 && !random.once(in: 5)
                ? "type" : pick(["type", "responseType", "appId", "sessionId", "appIds", "x", "x"])
            let text = pick(values[name] ?? [])
            let value: Value =
                switch random.int(0...11) {
                case 0: .other(pick(["5", "true", "-1.5e3", "{}", "[]", "[5]", #"{"type":"STOP","type":"LAUNCH"}"#]))
                case 1: .other("null")
                case 2: .cut(text)
                case 3, 4: name == "appIds" ? .other(#"["AAAA0001"]"#) : .text(text)
                case 5: name == "appIds" ? .other(#"["AAAA0009","AAAA0002"]"#) : .text(text)
                default: .text(text)
                }
            return Member(name: name, isCut: random.once(in: 40), value: value)
        }
        let texts = self.members.map { member in
            // Any letter may be written as an escape.
            let name = member.name.map { random.once(in: 20) ? Self.escape($0) : String($0) }.joined()
            return "\"\(name)\(member.isCut ? "\\u0000" : "")\":\(member.value.json)"
        }
        self.payload = Self.payload(texts, self.shape)
    }

    private static func escape(_ letter: Character) -> String {
        let digits = String(letter.unicodeScalars.first?.value ?? 0, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func payload(_ members: [String], _ shape: Shape) -> CastMessage.Payload {
        let object = "{" + members.joined(separator: ",") + "}"
        func nested(_ depth: Int) -> String {
            let list = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return "{\"deep\":\(list)," + members.joined(separator: ",") + "}"
        }
        switch shape {
        case .plain: return .text(object)
        case .blanks: return .text(" \t\r\n\(object)\n ")
        case .byteOrderMark: return .text("\u{FEFF}\(object)")
        case .nul: return .text("\0\(object)")
        case .comment: return .text("{/* */" + object.dropFirst())
        case .garbage: return .text(object + "x")
        case .unfinished: return .text(String(object.dropLast()))
        case .deep: return .text(nested(127))
        case .deepest: return .text(nested(128))
        case .notUTF8:
            return .text(
                ByteBuffer(bytes: Array("{\"y\":\"".utf8) + [0xC0, 0x80] + Array("\",".utf8) + object.utf8.dropFirst()))
        case .binary: return .binary(ByteBuffer(string: object))
        case .words: return .text("LAUNCH type appId")
        case .list: return .text("[\(object)]")
        }
    }

    /// The message as the router sees it.
    var routed: RoutedMessage {
        RoutedMessage(
            CastMessage(
                source: "sender-7", destination: self.destination, namespace: self.namespace, payload: self.payload),
            direction: .toReceiver, device: .test(), connection: self.hasConnection ? ConnectionID(rawValue: 1) : nil,
            senderAddress: self.address, session: self.running.sessions.first { $0.transportID == self.destination },
            origin: self.plugin.map { MessageOrigin($0) })
    }

    /// The CONNECT of its sender.
    var connect: CastMessage? { self.introduction.text.map { .test($0, in: .connection) } }

    /// The clocks at which it is judged.
    var time: RuleTime {
        RuleTime(
            now: { .uptimeNanoseconds(0) }, secondsSince1970: { [instant = self.instant] in Self.instants[instant] })
    }

    /// The same message with other members, as a rule leaves it: plain JSON.
    func carrying(_ members: [Member]) -> RuleMessage { RuleMessage(self, members: members) }

    private init(_ other: RuleMessage, members: [Member]) {
        self.namespace = other.namespace
        self.destination = other.destination
        self.address = other.address
        self.running = other.running
        self.plugin = other.plugin
        self.hasConnection = other.hasConnection
        self.introduction = other.introduction
        self.instant = other.instant
        self.members = members
        self.shape = .plain
        self.payload = Self.payload(
            members.map { "\"\($0.name)\($0.isCut ? "\\u0000" : "")\":\($0.value.json)" }, .plain)
    }
}
