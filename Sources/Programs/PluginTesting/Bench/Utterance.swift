import CastWire
import NIOCore
import PluginKit

/// An utterance of a plugin, as its bench understands it.
enum Utterance {
    /// The answer to a request: its result, or its error.
    case answer(id: JSONValue, result: JSONValue?, error: JSONObject?)
    case request(id: JSONValue, method: String, params: JSONObject)
    /// Something for which it wants no answer.
    case notification(method: String, params: JSONObject)
    /// A line that is no message of the protocol: the line, and what is wrong with it.
    case noise(String, reason: String)
    /// The end of what it says; the rest of a line without newline, if there was one.
    case closed(rest: String)
    /// Nothing, for as long as it was waited for.
    case silence

    init(line: [UInt8]) {
        let text = String(decoding: line, as: UTF8.self)
        let json: JSONObject
        do {
            guard String(validating: line, as: UTF8.self) != nil else {
                self = .noise(text, reason: "it is no UTF-8")
                return
            }
            guard let object = try JSONReader.read(ByteBuffer(bytes: line)).objectValue else {
                self = .noise(text, reason: "it is JSON, but no object; there are no batches")
                return
            }
            json = object
        } catch {
            self = .noise(text, reason: "it is no JSON (\(error))")
            return
        }
        guard json.string("jsonrpc") == "2.0" else {
            self = .noise(text, reason: "it lacks \"jsonrpc\":\"2.0\"")
            return
        }
        self = Self.message(json, text)
    }

    private static func message(_ json: JSONObject, _ text: String) -> Utterance {
        if let method = json.string("method") {
            let params = json.object("params") ?? [:]
            guard let id = json["id"] else { return .notification(method: method, params: params) }
            return .request(id: id, method: method, params: params)
        }
        guard let id = json["id"] else { return .noise(text, reason: "it has neither a method nor an id") }
        if let error = json.object("error") {
            guard json["result"] == nil else { return .noise(text, reason: "it has a result and an error") }
            guard error.int("code") != nil, error.string("message") != nil else {
                return .noise(text, reason: "its error lacks a number as code, or a text as message")
            }
            return .answer(id: id, result: nil, error: error)
        }
        guard let result = json["result"] else { return .noise(text, reason: "it has neither a result nor an error") }
        return .answer(id: id, result: result, error: nil)
    }

    /// In a few words, as in "expected …, but the plugin …".
    var summary: String {
        switch self {
        case .answer(let id, let result?, _): "answered \(id.text) with the result \(result.text.shortened)"
        case .answer(let id, _, let error):
            "answered \(id.text) with the error \(JSONValue.object(error ?? [:]).text.shortened)"
        case .request(_, let method, let params): "asked for \(method) with \(JSONValue.object(params).text.shortened)"
        case .notification(let method, let params): "told \(method) with \(JSONValue.object(params).text.shortened)"
        case .noise(let line, let reason): "wrote a line that is no message, since \(reason): \(line.shortened)"
        case .closed(""): "closed its output"
        case .closed(let rest): "closed its output in the middle of a line: \(rest.shortened)"
        case .silence: "said nothing"
        }
    }
}

extension String {
    /// Short enough to be shown, and without control characters.
    var shortened: String {
        let limit = 200
        let shown = self.unicodeScalars.prefix(limit).map { scalar in
            scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : String(scalar)
        }.joined()
        return self.unicodeScalars.count > limit ? "\(shown)… (\(self.utf8.count) bytes)" : shown
    }
}
