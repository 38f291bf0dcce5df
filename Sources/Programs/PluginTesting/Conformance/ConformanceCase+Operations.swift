import CastWire

extension ConformanceCase {
    static let operations: [ConformanceCase] = [
        ConformanceCase(
            "operations", "an operation that the plugin does not have is refused, and an abort of nothing is ignored",
            advice: """
                Answer operation.call with {"result":{…}}, with {"pending":true}, or with an error: -32011 and a code of the manifest in \
                data.code. A plugin without operations refuses the method with -32601.
                """
        ) { trial in
            try trial.begin()
            let (params, _) = trial.bench.operation("no_such_operation", [:], id: 1)
            let id = trial.bench.request("operation.call", params)
            let answer = try trial.answer(to: id, "operation.call")
            guard answer.error != nil else {
                throw ConformanceBreach(
                    "did the operation no_such_operation, which its manifest does not declare: \(answer.result?.text.shortened ?? "")"
                )
            }
            trial.bench.notify("request.abort", ["call": "c-none", "reason": "cancelled"])
            try trial.checkHealth(after: "an abort of a call that there is not")
        }
    ]
}
