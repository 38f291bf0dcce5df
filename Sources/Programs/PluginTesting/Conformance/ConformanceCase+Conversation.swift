import CastWire
import PluginKit

extension ConformanceCase {
    /// Requests, notifications and their ids.
    static let conversation: [ConformanceCase] = [
        ConformanceCase(
            "verdict", "a message is answered with a verdict that its phase allows",
            advice: """
                Answer message with {"disposition":…}: pass, reply, reject and drop everywhere; rewrite in filters; forward, handled \
                and defer in handlers. Without an opinion answer {"disposition":"pass"}.
                """, asksForVerdicts: true
        ) { trial in
            try trial.begin()
            for _ in 1...3 { try trial.verdict(on: trial.message()) }
            try trial.checkHealth(after: "three messages")
        },
        ConformanceCase(
            "unknown-method", "a request of an unknown method is refused with -32601",
            advice:
                #"Answer what you do not know with {"error":{"code":-32601,"message":"unknown method"}}, so that the gateway need not wait."#
        ) { trial in
            try trial.begin()
            let id = trial.bench.request("future.method", ["a": 1])
            let answer = try trial.answer(to: id, "future.method")
            guard let error = answer.error else {
                throw ConformanceBreach(
                    "answered the unknown method future.method with the result \(answer.result?.text.shortened ?? "")")
            }
            guard error.int("code") == -32601 else {
                throw ConformanceBreach(
                    "refused the unknown method future.method with \(error["code"]?.text ?? "no code")")
            }
        },
        ConformanceCase(
            "unknown-notification", "a notification of an unknown method is ignored",
            advice: "What has no id is never answered, whether you know its method or not."
        ) { trial in
            try trial.begin()
            trial.bench.notify("future.notification", ["id": 7, "a": [1]])
            trial.bench.notify("event", ["type": "future.event", "device": "test", "dropped": 0])
            try trial.checkHealth(after: "two unknown notifications")
        },
        ConformanceCase(
            "numeric-ids", "an answer carries the id of its request: numbers",
            advice: "Copy the id as it stands; numbers go up to 9007199254740991."
        ) { trial in
            try trial.begin()
            for id in [0, 1, 4_294_967_296, 9_007_199_254_740_991] as [JSONValue] {
                _ = try trial.result(of: trial.bench.request("health", id: id), "health")
            }
        },
        ConformanceCase(
            "text-ids", "an answer carries the id of its request: texts",
            advice: "Copy the id with its type: \"7\" is not 7. Quotes and backslashes in it have to be escaped again."
        ) { trial in
            try trial.begin()
            for id in ["7", "a-b", #"quote " backslash \ "#, "\u{E9}\u{1F600}"] as [JSONValue] {
                _ = try trial.result(of: trial.bench.request("health", id: id), "health")
                if trial.claim != nil { try trial.verdict(on: trial.message(id: id)) }
            }
        },
        ConformanceCase(
            "stray-answers", "answers to what the plugin never asked are ignored",
            advice:
                "Look the id up among your own requests, and ignore an answer that has none there; it may just be late."
        ) { trial in
            try trial.begin()
            trial.bench.answer("p-999999", result: ["payload": ["type": "X"]])
            trial.bench.refuse(424_242, error: ["code": -32003, "message": "deadline"])
            try trial.checkHealth(after: "two stray answers")
        },
        ConformanceCase(
            "cancel", "a cancelled message is answered once or not at all, and the next one as ever",
            advice: "The gateway ignores an answer to what it cancelled. It only must not disturb what follows."
        ) { trial in
            try trial.begin()
            trial.bench.notify("cancel", ["id": 999_999, "messageId": "m-999999", "reason": "deadline"])
            try trial.checkHealth(after: "cancel for a message that never was")
            guard trial.claim != nil else { return }
            let cancelled = trial.message()
            trial.bench.notify("cancel", ["id": cancelled, "messageId": "m-1", "reason": "deadline"])
            let next = trial.message(flow: 2)
            var answer = try trial.nextAnswer("the message after a cancelled one")
            if answer.id == cancelled { answer = try trial.nextAnswer("the message after a cancelled one") }
            guard answer.id == next else {
                throw ConformanceBreach(
                    "answered with the id \(answer.id.text), where \(next.text) was asked after \(cancelled.text) was cancelled"
                )
            }
        },
        ConformanceCase(
            "events", "copies and events are never answered, and disturb nothing",
            advice: "An event is a notification: take what you know, and say nothing."
        ) { trial in
            try trial.begin()
            let observed = trial.observed
            for dropped in [0, 17] {
                let given: JSONObject = [
                    "namespace": .string(observed?.namespace ?? "urn:x-cast:com.example.conformance"),
                    "direction": .string(observed?.direction ?? "to_receiver"),
                    "payload": ["type": .string(observed?.type ?? "CONFORMANCE"), "requestId": 3],
                ]
                trial.bench.notify(
                    "event",
                    ["type": "message", "message": .object(trial.bench.message(given)), "dropped": .number(dropped)])
            }
            trial.bench.notify("event", ["type": "session.ended", "device": "test", "session": "s-1", "dropped": 0])
            try trial.checkHealth(after: "three events")
        },
    ]
}
