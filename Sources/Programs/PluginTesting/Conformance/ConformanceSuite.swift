package import CastWire
import PluginHosting

/// The demands of the protocol on every plugin, tried out on one: each case on a process of its own.
///
/// It blocks the thread that it runs on.
package struct ConformanceSuite: Sendable {
    let program: SubjectProgram
    let facts: PluginFacts
    /// A configuration that the plugin accepts.
    let config: JSONObject

    /// The time an answer may take. Far beyond any deadline: it is not speed that is judged here.
    let patience: Duration

    /// Prepares the suite for a plugin.
    /// - Parameters:
    ///   - config: a configuration that the plugin accepts.
    ///   - patience: how long an answer may take.
    package init(_ program: SubjectProgram, config: JSONObject = [:], patience: Duration = .seconds(10)) {
        self.patience = patience
        self.program = program
        self.facts = PluginFacts(program.instance.manifest)
        self.config = config
    }

    /// Runs cases.
    /// - Parameters:
    ///   - names: those to run; nil for all.
    ///   - tell: given each result as it comes.
    /// - Throws: ``SubjectError`` when processes cannot be started at all.
    @discardableResult
    package func run(
        only names: [String]? = nil, tell: (ConformanceResult) -> Void = { _ in }
    ) throws(SubjectError) -> [ConformanceResult] {
        var results: [ConformanceResult] = []
        for one in ConformanceCase.all where names?.contains(one.name) ?? true {
            let result = try self.run(one)
            results.append(result)
            tell(result)
            // Without a handshake there is nothing to try.
            if result.isBroken, one.name == ConformanceCase.all[0].name, names == nil { break }
        }
        return results
    }

    private func run(_ one: ConformanceCase) throws(SubjectError) -> ConformanceResult {
        func result(_ outcome: ConformanceResult.Outcome, errors: [String] = []) -> ConformanceResult {
            ConformanceResult(
                name: one.name, demand: one.demand, advice: one.advice, outcome: outcome, errors: errors)
        }
        let folder = try ScratchFolder()
        let trial = try ConformanceTrial(self, stateDirectory: folder.path)
        guard !one.asksForVerdicts || trial.claim != nil else {
            return result(.skipped("the plugin only observes"))
        }
        defer {
            trial.bench.process.end()
            withExtendedLifetime(folder) {}
        }
        do {
            try one.check(trial)
            // The manifest asks for too little, or the plugin wants too much: a gateway would refuse it.
            if let refusal = trial.bench.takeRefusals().first {
                throw ConformanceBreach("wants what its plugin.yaml does not ask for: \(refusal.what)")
            }
            return result(.kept)
        } catch {
            let text = (error as? ConformanceBreach)?.text ?? "\(error)"
            trial.bench.process.end()
            let lines = trial.bench.process.errorText.split(separator: "\n").suffix(8).map { String($0).shortened }
            return result(.broken(text), errors: lines)
        }
    }
}

package struct ConformanceCase: Sendable {
    /// Its name, for reports and for running it alone.
    package let name: String
    /// The demand, as a sentence.
    package let demand: String
    /// The remedy for a breach.
    package let advice: String
    /// True if it is about messages that the plugin decides about; left out for one that only observes.
    let asksForVerdicts: Bool
    let check: @Sendable (ConformanceTrial) throws -> Void

    init(
        _ name: String, _ demand: String, advice: String, asksForVerdicts: Bool = false,
        check: @escaping @Sendable (ConformanceTrial) throws -> Void
    ) {
        self.name = name
        self.demand = demand
        self.advice = advice
        self.asksForVerdicts = asksForVerdicts
        self.check = check
    }

    /// All of them, in the order in which they are run.
    package static let all: [ConformanceCase] =
        Self.handshake + Self.conversation + Self.operations + Self.payloads + Self.crowds + Self.resilience + Self.life
}

package struct ConformanceResult: Sendable {
    package enum Outcome: Sendable, Hashable {
        /// The plugin did as demanded.
        case kept
        /// A description of what the plugin did.
        case broken(String)
        /// The case does not apply, and why.
        case skipped(String)
    }

    package let name: String
    package let demand: String
    /// The remedy for a breach.
    package let advice: String
    package let outcome: Outcome
    /// The last lines of what the plugin wrote to standard error meanwhile.
    package let errors: [String]

    package var isBroken: Bool {
        if case .broken = self.outcome { true } else { false }
    }
}

struct ConformanceBreach: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}
