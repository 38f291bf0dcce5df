import CastWire
import PluginKit

extension ConformanceCase {
    /// Identity and protocol.
    static let handshake: [ConformanceCase] = [
        ConformanceCase(
            "handshake", "initialize and start are answered, and the plugin is the one of its manifest",
            advice: """
                Answer initialize with {"protocol":1,"plugin":{"id":…,"version":…}}, the id as in plugin.yaml, then start with {}. \
                Flush standard output after each line; most languages hold back what goes to a pipe.
                """
        ) { trial in
            let result = try trial.shakeHands()
            let read: InitializeResult
            do {
                read = try RPCResponse(1, result: result).initializeResult()
            } catch {
                throw ConformanceBreach("answered initialize with what the gateway cannot read: \(error)")
            }
            guard read.version == 1 else {
                throw ConformanceBreach("chose protocol \(read.version), where the gateway offers 1 alone")
            }
            guard read.pluginID == trial.facts.id else {
                throw ConformanceBreach("says that it is \(read.pluginID); plugin.yaml says \(trial.facts.id)")
            }
            guard read.pluginVersion == trial.facts.version else {
                throw ConformanceBreach(
                    "says that it has version \(read.pluginVersion); plugin.yaml says \(trial.facts.version)")
            }
            for claim in read.claims ?? [] {
                let isAsked = trial.facts.claims.contains { asked in
                    asked.string("match") == claim.match && asked.string("phase") == claim.phase.rawValue
                }
                guard isAsked else {
                    throw ConformanceBreach(
                        "claims \(claim.match) in phase \(claim.phase.rawValue), which plugin.yaml does not ask for; claims may only narrow what is granted"
                    )
                }
            }
            let id = trial.bench.request("start", ["snapshot": .object(trial.bench.setting.snapshot)])
            _ = try trial.result(of: id, "start")
            try trial.checkHealth(after: "start")
        },
        ConformanceCase(
            "version-range", "of a range of protocol versions the plugin chooses one that it knows",
            advice:
                "Answer initialize with the highest version that both ends speak: between protocol.min and protocol.max."
        ) { trial in
            let range: JSONObject = ["protocol": ["min": 1, "max": 99]]
            let result = try trial.shakeHands(range)
            guard let version = result.int("protocol"), trial.facts.protocols.contains(version) else {
                throw ConformanceBreach(
                    "chose protocol \(result["protocol"]?.text ?? "none"); plugin.yaml says that it speaks \(trial.facts.protocols.lowerBound) to \(trial.facts.protocols.upperBound)"
                )
            }
        },
        ConformanceCase(
            "version-unknown", "where no version fits, initialize is refused",
            advice:
                "When protocol.min is above all that you speak, answer initialize with an error that says which versions you speak."
        ) { trial in
            let id = trial.bench.request("initialize", trial.bench.initializeParameters(minimum: 1000, maximum: 1001))
            let heard = trial.bench.hear(within: trial.patience)
            switch heard {
            case .answer(id, _, .some), .closed: return
            default: throw ConformanceBreach("\(heard.summary), where the gateway speaks protocols 1000 to 1001 only")
            }
        },
        ConformanceCase(
            "unknown-members", "members that the plugin does not know are ignored",
            advice: "Read the members that you know, and leave the rest; later gateways send more."
        ) { trial in
            _ = try trial.shakeHands(["_future": ["a": [1, 2, 3]], "features": ["defer", "time.travel"]])
            let id = trial.bench.request(
                "start", ["snapshot": ["devices": [], "sessions": [], "_future": 1], "_future": .null])
            _ = try trial.result(of: id, "start")
            if trial.claim != nil { try trial.verdict(on: trial.message(["_future": ["payload": "x"]])) }
            try trial.checkHealth(after: "unknown members")
        },
    ]
}
