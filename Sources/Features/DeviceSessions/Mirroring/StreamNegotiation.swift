import CastWire
import NIOCore

extension Namespace {
    /// The namespace in which a mirroring sender and its app agree on a stream (protocol notes, 5.11).
    static let webRTC: Namespace = "urn:x-cast:com.google.cast.webrtc"
}

/// A message of ``Namespace/webRTC``, as far as it says where a stream goes.
///
/// The sender sends OFFER, the app answers with ANSWER of the same `seqNum`, and `answer.udpPort` there is where the sender
/// sends to, at the address to which it has its channel.
enum StreamNegotiation: Equatable {
    case offer(number: Int)
    case answer(number: Int, port: Int)
    /// A port is named, and the message does not say clearly which, or for which offer.
    case unclear(number: Int?, reason: String)
    /// Nothing that concerns where a stream goes.
    case other

    init(_ payload: CastMessage.Payload) {
        guard case .text(let text) = payload else {
            // Senders look for JSON in texts alone.
            self = .other
            return
        }
        guard let json = payload.jsonObject else {
            let namesPort = String(buffer: text).contains("udpPort")
            self = namesPort ? .unclear(number: nil, reason: "the answer is not JSON") : .other
            return
        }
        let number = json.only("seqNum")?.intValue
        let types = json.all("type").compactMap { $0.stringValue?.uppercased() }
        if types == ["OFFER"] {
            self = number.map { .offer(number: $0) } ?? .other
        } else if types.contains("ANSWER") {
            self = Self.answer(json, number: number, isOfOneType: types.count == 1)
        } else {
            self = .other
        }
    }

    private static func answer(_ json: JSONObject, number: Int?, isOfOneType: Bool) -> StreamNegotiation {
        let answers = json.all("answer")
        guard answers.contains(where: { !($0.objectValue?.all("udpPort").isEmpty ?? true) }) else { return .other }
        guard isOfOneType, answers.count == 1, let value = answers[0].objectValue?.only("udpPort") else {
            return .unclear(number: number, reason: "the answer names something twice")
        }
        guard let port = value.intValue, (1...65_535).contains(port) else {
            return .unclear(number: number, reason: "the answer's port is none: \(value.text.prefix(40))")
        }
        guard let number else { return .unclear(number: nil, reason: "the answer has no number") }
        return .answer(number: number, port: port)
    }

    /// The same ANSWER with another port; everything else stays.
    static func rewritten(_ payload: CastMessage.Payload, port: Int) -> CastMessage.Payload? {
        guard var json = payload.jsonObject, var answer = json.object("answer") else { return nil }
        answer["udpPort"] = .number(port)
        json["answer"] = .object(answer)
        return .json(json)
    }

    /// The refusal that a sender gets instead of an ANSWER that leads nowhere: it shows that mirroring has failed.
    static func refusal(number: Int, reason: String) -> JSONObject {
        [
            "type": "ANSWER", "seqNum": .number(number), "result": "error",
            "error": ["code": 1, "description": .string(reason)],
        ]
    }
}

extension JSONObject {
    fileprivate func all(_ name: String) -> [JSONValue] { self.members.filter { $0.name == name }.map(\.value) }

    /// The value of a name that stands once.
    fileprivate func only(_ name: String) -> JSONValue? {
        let values = self.all(name)
        return values.count == 1 ? values[0] : nil
    }
}

/// The offers of senders that no answer has come to.
struct StreamOffers {
    /// More than a sender has under way.
    private static let maximumPerApp = 8

    /// A sender's end, and the app that it offers streams to.
    struct Parties: Hashable {
        let sender: SenderEnd
        let app: EndpointID
    }

    private var numbers: [Parties: [Int]] = [:]

    mutating func offered(_ number: Int, by parties: Parties) {
        var known = self.numbers[parties] ?? []
        known.removeAll { $0 == number }
        known.append(number)
        self.numbers[parties] = known.suffix(Self.maximumPerApp)
    }

    /// Takes an answer.
    /// - Returns: whether there was such an offer, which there is no more.
    mutating func answered(_ number: Int, by parties: Parties) -> Bool {
        guard let index = self.numbers[parties]?.firstIndex(of: number) else { return false }
        self.numbers[parties]?.remove(at: index)
        return true
    }

    mutating func forget(where isGone: (Parties) -> Bool) {
        for parties in self.numbers.keys where isGone(parties) { self.numbers[parties] = nil }
    }
}
