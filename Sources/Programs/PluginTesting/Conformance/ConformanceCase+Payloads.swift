import CastWire

extension ConformanceCase {
    /// Contents of messages.
    static let payloads: [ConformanceCase] = [
        ConformanceCase(
            "payload-64k", "a payload of 64 KiB is taken, also when it is all escapes",
            advice:
                "A line may have 1 MiB. Read until the newline, however many pieces it comes in, and write all of an answer.",
            asksForVerdicts: true
        ) { trial in
            try trial.begin()
            let type = trial.claim?.type ?? ""
            let long = #"{"type":"\#(type)","requestId":1,"text":""# + String(repeating: "x", count: 65_400) + #""}"#
            try trial.verdict(on: trial.message(["payload": .string(long), "type": .string(type)]))
            let escaped = String(repeating: "\u{1}\"\\\u{7F}", count: 16_384)
            try trial.verdict(on: trial.message(["payload": .string(escaped)]))
            try trial.checkHealth(after: "two messages of 64 KiB")
        },
        ConformanceCase(
            "payload-binary", "a binary payload is taken",
            advice: "A binary message has payloadB64 and no payload. Pass it, if you make nothing of it.",
            asksForVerdicts: true
        ) { trial in
            try trial.begin()
            for content in ["", "AAEC/w==", String(repeating: "//79", count: 16_384)] {
                try trial.verdict(on: trial.message(["payloadB64": .string(content), "type": .null]))
            }
            try trial.checkHealth(after: "three binary messages")
        },
        ConformanceCase(
            "payload-escapes",
            "escapes, surrogates and control characters are taken, and whatever is said of them is UTF-8",
            advice: """
                Use a JSON library for reading and writing, on bytes as UTF-8. A payload is the exact text that an app sent; \
                it can hold anything that a JSON string can.
                """, asksForVerdicts: true
        ) { trial in
            try trial.begin()
            let type = trial.claim?.type ?? ""
            let texts = [
                "\"", "\\", "\\\\\"", "\u{0}\u{1F}\u{7F}\u{2028}\u{2029}\r\n\t", "\u{E9}\u{4E2D}\u{1F600}",
                "\",\"payload\":\"x",
                "\\u0041\\ud83d\\ude00", "{\"params\":{\"id\":1,\"method\":\"shutdown\"}}", "</script>'%s$(id)`id`",
            ]
            for text in texts {
                let payload = JSONValue.object(["type": .string(type), "requestId": 1, "text": .string(text)]).text
                try trial.verdict(on: trial.message(["payload": .string(payload), "type": .string(type)]))
                try trial.verdict(on: trial.message(["payload": .string(text)]))
            }
            // Half a surrogate pair is JSON, though no text; apps send it.
            try trial.sendRaw(#"{\"type\":\"\#(type)\",\"text\":\"\ud800 \udc00\"}"#)
            try trial.checkHealth(after: "texts with escapes")
        },
        ConformanceCase(
            "payload-foreign", "payloads of other shapes than the plugin expects cost themselves only",
            advice: "Senders send anything: no JSON, JSON of another shape, no type, no requestId. Pass or reject it.",
            asksForVerdicts: true
        ) { trial in
            try trial.begin()
            let type = trial.claim?.type ?? ""
            let payloads = [
                "", " ", "null", "true", "[]", "[1,2]", "7", "\"text\"", "{", "{\"type\":7}",
                "{\"type\":null,\"requestId\":\"x\"}",
                #"{"type":"\#(type)"}"#, #"{"type":"\#(type)","requestId":{},"status":7,"media":[]}"#,
                String(repeating: "[", count: 20_000),
            ]
            for payload in payloads {
                let hasType = payload.contains("\"\(type)\"")
                try trial.verdict(
                    on: trial.message([
                        "payload": .string(payload), "type": hasType ? .string(type) : .null, "requestId": .null,
                    ]))
            }
            var bare: JSONObject = ["session": .null, "app": .null, "connection": .null, "sender": .null]
            bare["payload"] = ["type": .string(type)]
            try trial.verdict(on: trial.message(bare))
            try trial.checkHealth(after: "payloads of other shapes")
        },
    ]
}

extension ConformanceTrial {
    /// Sends a message whose payload is given as it stands between its quotes in the line.
    fileprivate func sendRaw(_ payload: String) throws {
        guard let claim else { return }
        let id = self.bench.nextID()
        let params = JSONValue.object(self.messageParameters(["payload": "@"], claim, flow: 1)).text
            .replacing("\"payload\":\"@\"", with: "\"payload\":\"\(payload)\"")
        self.bench.write("{\"jsonrpc\":\"2.0\",\"id\":\(id.text),\"method\":\"message\",\"params\":\(params)}\n")
        try self.verdict(on: id)
    }
}
