import CastWire

extension ConformanceCase {
    static let crowds: [ConformanceCase] = [
        ConformanceCase(
            "in-flight", "as many messages as are allowed at once are each answered once",
            advice: "The gateway does not wait for one answer before it sends the next message. Keep the ids apart.",
            asksForVerdicts: true
        ) { trial in
            try trial.begin()
            var open = (0..<32).map { trial.message(flow: $0) }
            for _ in 0..<32 {
                let answer = try trial.nextAnswer("one of 32 messages at once")
                guard let index = open.firstIndex(of: answer.id) else {
                    throw ConformanceBreach(
                        "answered with the id \(answer.id.text), which was answered already or never asked")
                }
                open.remove(at: index)
                try trial.judge(answer)
            }
            try trial.checkHealth(after: "32 messages at once")
        },
        ConformanceCase(
            "order-of-flow", "messages of one flow are answered in their order",
            advice:
                "Messages with the same connection, source and destination are one flow: decide about them one after the other.",
            asksForVerdicts: true
        ) { trial in
            try trial.begin()
            for id in (0..<32).map({ _ in trial.message() }) {
                let answer = try trial.nextAnswer("32 messages of one flow")
                guard answer.id == id else {
                    throw ConformanceBreach(
                        "answered \(answer.id.text) before \(id.text), which came first in the same flow")
                }
            }
        },
        ConformanceCase(
            "both-ways-full", "a plugin that has much to say still listens, and the other way round",
            advice:
                "Read and write independently, or write a whole answer before you read on; never wait for the gateway to read first.",
            asksForVerdicts: true
        ) { trial in
            try trial.begin()
            let type = trial.claim?.type ?? ""
            let payload = #"{"type":"\#(type)","text":""# + String(repeating: "y", count: 60_000) + #""}"#
            let open = (0..<32).map { trial.message(["payload": .string(payload), "type": .string(type)], flow: $0) }
            for _ in open { try trial.judge(try trial.nextAnswer("one of 32 messages of 60 kB at once")) }
            try trial.checkHealth(after: "32 messages of 60 kB at once")
        },
        ConformanceCase(
            "pipelined", "requests that come in one piece are answered one by one, in a line each",
            advice:
                "A read can bring several lines. Split at newlines; answer each request with a line of its own, never a batch."
        ) { trial in
            try trial.begin()
            let ids = (0..<8).map { _ in trial.bench.nextID() }
            trial.bench.write(
                ids.map { "{\"jsonrpc\":\"2.0\",\"id\":\($0.text),\"method\":\"health\",\"params\":{}}\n" }.joined())
            for id in ids { _ = try trial.result(of: id, "one of eight health requests in one piece") }
        },
        ConformanceCase(
            "in-pieces", "a line that comes in pieces is one line",
            advice: "A read can bring half a line, even half a character. Keep it until the rest is there."
        ) { trial in
            try trial.begin()
            let id: JSONValue = "\u{E9}\u{1F600}"
            let line =
                "{\"jsonrpc\":\"2.0\",\"id\":\(id.text),\"method\":\"health\",\"params\":{\"\u{1F600}\":\"\u{E9}\"}}\n"
            for byte in line.utf8 { _ = trial.bench.process.write([byte], until: .now + .seconds(1)) }
            _ = try trial.result(of: id, "health in pieces")
        },
    ]
}
