import CastWire
import PluginKit

extension ConformanceCase {
    static let life: [ConformanceCase] = [
        ConformanceCase(
            "health", "health is answered again and again",
            advice:
                #"Answer health within 2 seconds with {"status":"ok"}, or degraded or failing with a message, also while messages are being decided about."#
        ) { trial in
            try trial.begin()
            for _ in 1...3 { try trial.checkHealth(after: "health") }
        },
        ConformanceCase(
            "reload", "a reload is answered: applied, or that the plugin has to be replaced",
            advice:
                #"Answer reload with {"outcome":"applied"} once the new configuration holds, or with {"outcome":"replace"}."#
        ) { trial in
            try trial.begin()
            for _ in 1...2 {
                let id = trial.bench.request("reload", ["config": .object(trial.bench.setting.config)])
                let result = try trial.result(of: id, "reload with the same configuration")
                guard (try? RPCResponse(1, result: result).reloadOutcome()) != nil else {
                    throw ConformanceBreach("answered reload with \(JSONValue.object(result).text.shortened)")
                }
            }
            if trial.claim != nil { try trial.verdict(on: trial.message()) }
            try trial.checkHealth(after: "two reloads")
        },
        ConformanceCase(
            "reload-refused",
            "a configuration that makes no sense is refused with -32010, or taken, and the plugin goes on",
            advice:
                #"Refuse a bad configuration with -32010 and {"errors":[{"path":…,"message":…}]} as data, and keep the old one."#
        ) { trial in
            try trial.begin()
            let id = trial.bench.request("reload", ["config": ["no such key, as the suite hopes": [[7]]]])
            let answer = try trial.answer(to: id, "reload with nonsense")
            if let error = answer.error, error.int("code") != -32010 {
                throw ConformanceBreach(
                    "refused a configuration with \(error["code"]?.text ?? ""); it is -32010 that says so")
            }
            if trial.claim != nil { try trial.verdict(on: trial.message()) }
            try trial.checkHealth(after: "a refused reload")
        },
        ConformanceCase(
            "drain", "drain is answered once what is under way has been decided about",
            advice:
                "On drain finish the messages that you have, within deadlineMs, then answer {}; health and shutdown may follow."
        ) { trial in
            try trial.begin()
            let open = trial.claim == nil ? [] : (0..<8).map { trial.message(flow: $0) }
            let drain = trial.bench.request("drain", ["deadlineMs": 5000])
            for _ in open {
                let answer = try trial.nextAnswer("a message that was under way at drain")
                guard answer.id != drain else {
                    throw ConformanceBreach("answered drain while messages were still under way")
                }
            }
            _ = try trial.result(of: drain, "drain")
            try trial.checkHealth(after: "drain")
            _ = try trial.result(of: trial.bench.request("shutdown"), "shutdown")
            try trial.checkEnding(after: "shutdown")
        },
        ConformanceCase(
            "shutdown", "shutdown is answered, and the plugin exits with 0",
            advice:
                "Answer shutdown with {}, flush, and exit with 0. Another status counts as a crash, and the plugin is started again."
        ) { trial in
            try trial.begin()
            _ = try trial.result(of: trial.bench.request("shutdown"), "shutdown")
            try trial.checkEnding(after: "shutdown")
        },
        ConformanceCase(
            "double-shutdown", "a second shutdown does no harm",
            advice: "Exit with 0 after the first shutdown, whatever else stands in your input."
        ) { trial in
            try trial.begin()
            trial.bench.write(
                """
                {"jsonrpc":"2.0","id":"first","method":"shutdown","params":{}}
                {"jsonrpc":"2.0","id":"second","method":"shutdown","params":{}}

                """)
            _ = try trial.result(of: "first", "shutdown")
            try trial.checkEnding(after: "the second shutdown")
        },
        ConformanceCase(
            "end-of-input", "the end of its input ends the plugin",
            advice:
                "When your input ends the gateway is gone: exit at once, with 0. Threads that still run must not hold you."
        ) { trial in
            try trial.begin()
            trial.bench.process.closeWriting()
            try trial.checkEnding(after: "the end of its input")
        },
        ConformanceCase(
            "end-in-a-line", "the end of its input in the middle of a line ends the plugin",
            advice: "Half a line at the end of your input is nothing; exit with 0."
        ) { trial in
            try trial.begin()
            trial.bench.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"mess")
            trial.bench.process.closeWriting()
            try trial.checkEnding(after: "the end of its input in the middle of a line")
        },
        ConformanceCase(
            "end-before-start", "the end of its input before the handshake ends the plugin",
            advice: "Do not wait for initialize for ever: when your input ends, exit with 0."
        ) { trial in
            trial.bench.process.closeWriting()
            try trial.checkEnding(after: "the end of its input")
        },
    ]
}
