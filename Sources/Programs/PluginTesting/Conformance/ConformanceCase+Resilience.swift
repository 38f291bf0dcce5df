import CastWire

extension ConformanceCase {
    /// Malformed lines.
    static let resilience: [ConformanceCase] = [
        ConformanceCase(
            "malformed-line", "a line that is no JSON costs itself only",
            advice:
                "Read line by line, and go on with the next when one cannot be read; whether you answer it with -32700 is up to you."
        ) { trial in
            try trial.begin()
            trial.bench.write(
                "not json\n{\"jsonrpc\":\"2.0\",\"id\":5,\"meth\n\"text\"\n7\n{}\n{\"jsonrpc\":\"2.0\"}\n")
            try trial.checkThatItGoesOn(after: "malformed lines")
        },
        ConformanceCase(
            "blank-lines", "blank lines are ignored", advice: "Skip what is empty or blank before you read it as JSON."
        ) { trial in
            try trial.begin()
            trial.bench.write("\n\n  \n\t\n")
            try trial.checkThatItGoesOn(after: "blank lines")
        },
        ConformanceCase(
            "batch", "a batch is not carried out, and does no harm",
            advice: "There are no batches in this protocol. Refuse a line that is an array with -32600, or ignore it."
        ) { trial in
            try trial.begin()
            trial.bench.write(
                "[{\"jsonrpc\":\"2.0\",\"id\":\"in-a-batch\",\"method\":\"shutdown\",\"params\":{}}]\n[]\n")
            try trial.checkThatItGoesOn(after: "a batch")
        },
        ConformanceCase(
            "strange-members", "requests whose members have other types than expected cost themselves only",
            advice: "Check the types of what you read; answer -32602 to what makes no sense."
        ) { trial in
            try trial.begin()
            trial.bench.write(
                """
                {"jsonrpc":"2.0","id":"strange","method":"message","params":7}
                {"jsonrpc":"2.0","id":"strange","method":"message","params":{"phase":[],"message":{"id":7,"payload":{"a":1},"type":{},"source":null}}}
                {"jsonrpc":"2.0","id":"strange","method":"message","params":{}}
                {"jsonrpc":"2.0","id":"strange","method":"reload","params":[]}
                {"jsonrpc":"2.0","method":"event","params":null}
                {"jsonrpc":"2.0","method":"cancel"}

                """)
            try trial.checkThatItGoesOn(after: "strange members")
        },
    ]
}

extension ConformanceTrial {
    /// Whatever was answered to nonsense is fine, as long as the plugin answers what makes sense afterwards.
    fileprivate func checkThatItGoesOn(after what: String) throws {
        let id = self.bench.request("health", id: "after-nonsense")
        while true {
            let answer = try self.nextAnswer("health, after \(what),")
            if answer.id == id {
                guard answer.result?.objectValue != nil else {
                    throw ConformanceBreach("did not answer health with an object, after \(what)")
                }
                return
            }
            guard answer.id != "in-a-batch" || answer.error != nil else {
                throw ConformanceBreach("carried out what came in a batch")
            }
        }
    }
}
