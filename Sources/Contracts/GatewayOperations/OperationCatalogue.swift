package import CastWire
import GatewayConfig
import GatewayCore
import SystemPrimitives

/// Everything that a running gateway can do for a caller. Every way in knows the catalogue, and nothing beside it.
///
/// ``call(_:_:for:)`` is the one place where an operation is carried out: it looks for the operation, asks whether the caller may,
/// checks the input, and has it done. A way in turns bytes into a name and a JSON object, and the outcome into bytes.
package struct OperationCatalogue: Sendable {
    /// What came of a call: what the operation answers, or why it was not done.
    package typealias Outcome = Result<OperationAnswer, OperationProblem>

    private struct Entry: Sendable {
        let declaration: OperationDeclaration
        /// Checks an input, and gives back what does the work.
        let prepare: @Sendable (JSONObject, Caller) -> Result<CommandRequests.Work, OperationProblem>
    }

    /// How long operations that look at something wait for event loops that are stuck.
    private static let patience = Duration.seconds(2)

    private static let loop =
        "the plugin answers what follows from \(MessageOrigin.maximumHops) messages of plugins and callers"

    private let entries: [OperationName: Entry]
    private let requests: CommandRequests?
    /// The operations that come and go beside the others; nil where none can.
    package let added: AddedOperations?
    /// The operations that are always there, by family and name.
    package let declarations: [OperationDeclaration]
    private let audit: (any AuditTrail)?
    private let observer: (any CallObserver)?

    /// Collects operations; each name and each route may be there once.
    /// - Parameters:
    ///   - requests: carries commands out; without it they are done while their callers wait.
    ///   - added: the operations that come and go beside these.
    ///   - audit: learns of refusals and of administrative acts, by every way in.
    ///   - observer: learns of calls as they begin and end, by every way in.
    package init(
        _ operations: [any GatewayOperation], requests: CommandRequests? = nil, added: AddedOperations? = nil,
        audit: (any AuditTrail)? = nil, observer: (any CallObserver)? = nil
    ) {
        self.audit = audit
        self.observer = observer
        self.added = added
        var entries: [OperationName: Entry] = [:]
        var routes: Set<OperationRoute> = []
        for operation in operations {
            let entry = Self.entry(operation)
            let name = entry.declaration.name
            precondition(entries.updateValue(entry, forKey: name) == nil, "two operations are called \(name)")
            precondition(
                routes.insert(entry.declaration.route).inserted, "two operations are at \(entry.declaration.route)")
        }
        self.entries = entries
        self.requests = requests
        self.declarations = entries.values.map(\.declaration).sorted { $0.name.rawValue < $1.name.rawValue }
    }

    private static func entry<Operation: GatewayOperation>(_ operation: Operation) -> Entry {
        let status = Operation.result.status
        let check = InputCheck(of: Operation.Input.self)
        return Entry(declaration: OperationDeclaration(Operation.self)) { json, caller in
            let input = CheckedInput(json, by: check)
            guard input.faults.isEmpty else { return .failure(.invalid(input.faults, more: input.moreFaults)) }
            // Its work may be done by another task than that of the call.
            let cause = MessageCause.current
            if Operation.scope != .read, MessageCause.hops >= MessageOrigin.maximumHops {
                return .failure(OperationProblem(GatewayError(.messageLoop, Self.loop)))
            }
            return .success {
                let perform = { () async -> Outcome in
                    do throws(OperationProblem) {
                        let body = try await operation.perform(Operation.Input(reading: input.section), for: caller)
                        return .success(OperationAnswer(status: status, body))
                    } catch {
                        return .failure(error)
                    }
                }
                guard Operation.scope == .read, EventLoopTimeout.current == nil else {
                    return await MessageCause.$current.withValue(cause) { await perform() }
                }
                return await EventLoopTimeout.$current.withValue(EventLoopTimeout(Self.patience)) { await perform() }
            }
        }
    }

    private static func entry(_ operation: AddedOperation) -> Entry {
        let declaration = operation.declaration
        let check = InputCheck(.object(declaration.fields))
        return Entry(declaration: declaration) { json, caller in
            let input = CheckedInput(json, by: check)
            guard input.faults.isEmpty else { return .failure(.invalid(input.faults, more: input.moreFaults)) }
            // Its work may be done by another task than that of the call.
            let depth = OperationDepth.current + 1
            guard depth <= OperationDepth.limit else {
                return .failure(
                    OperationProblem(
                        "operation_loop", status: 508,
                        "'\(declaration.name)' was called by an operation that was called by an operation, "
                            + "more than \(OperationDepth.limit) deep"))
            }
            let cause = MessageCause.current
            return .success {
                await OperationDepth.$current.withValue(depth) {
                    await MessageCause.$current.withValue(cause) { await operation.perform(json, caller) }
                }
            }
        }
    }

    /// All operations that there are now, by name.
    package var currentDeclarations: [OperationDeclaration] {
        guard let added = self.added?.declarations, !added.isEmpty else { return self.declarations }
        return (self.declarations + added).sorted { $0.name.rawValue < $1.name.rawValue }
    }

    /// The declaration of an operation that there is now.
    package func declaration(of name: OperationName) -> OperationDeclaration? {
        self.entries[name]?.declaration ?? self.added?.operation(name)?.declaration
    }

    private func entry(_ name: OperationName) -> Entry? {
        self.entries[name] ?? self.added?.operation(name).map { Self.entry($0) }
    }

    /// Has an operation done.
    /// - Parameters:
    ///   - name: of the operation.
    ///   - input: as the caller sent it.
    ///   - caller: who asks.
    ///   - options: what the caller says beside it.
    package func call(
        _ name: OperationName, _ input: JSONObject, for caller: Caller, options: CallOptions = CallOptions()
    ) async -> Outcome {
        await self.observer?.callBegins()
        defer { self.observer?.callEnds() }
        let outcome = await self.outcome(name, input, for: caller, options: options)
        if let entry = self.auditEntry(name, input, outcome, for: caller, options: options) {
            self.audit?.record(entry)
        }
        return outcome
    }

    /// What the audit log has to say of a call; nil for nothing.
    private func auditEntry(
        _ name: OperationName, _ input: JSONObject, _ outcome: Outcome, for caller: Caller, options: CallOptions
    ) -> AuditEntry? {
        guard self.audit != nil, let declaration = self.declaration(of: name) else { return nil }
        let parts = declaration.scopedParts.filter { $0.isIn(input) }
        let isAct = ([declaration.scope] + parts.map(\.scope)).contains { $0 == .admin || $0 == .credentials }
        func entry(_ event: AuditEntry.Event, _ outcome: String) -> AuditEntry {
            AuditEntry(event, outcome: outcome, caller: caller.name, address: options.address, operation: name)
        }
        switch outcome {
        case .success(let answer):
            return isAct ? entry(.operationDone, answer.status == 202 ? "accepted" : "done") : nil
        case .failure(let problem) where problem.status == 403: return entry(.operationRefused, problem.code)
        case .failure(let problem): return isAct ? entry(.operationFailed, problem.code) : nil
        }
    }

    private func outcome(
        _ name: OperationName, _ input: JSONObject, for caller: Caller, options: CallOptions
    ) async -> Outcome {
        guard let entry = self.entry(name) else {
            let suggestion = EditDistance.suggestion(
                for: name.rawValue, among: self.currentDeclarations.map(\.name.rawValue))
            let hint = suggestion.map { "; did you mean '\($0)'?" } ?? ""
            return .failure(.missing("unknown_operation", "there is no operation '\(name)'\(hint)"))
        }
        do throws(OperationProblem) {
            try caller.require(scope: entry.declaration.scope, for: name.rawValue)
            for part in entry.declaration.scopedParts where part.isIn(input) {
                try caller.require(scope: part.scope, for: part.name)
            }
        } catch {
            return .failure(error)
        }
        if entry.declaration.reach == .gateway, caller.devices != nil {
            return .failure(
                OperationProblem(
                    "device_not_allowed", status: 403, "'\(name)' is not for callers that are limited to devices"))
        }
        if options.idempotencyKey != nil, !entry.declaration.takesIdempotencyKey, entry.declaration.route.method != .get
        {
            return .failure(
                OperationProblem(
                    "invalid_input", status: 422,
                    "'\(name)' takes no idempotency key, since its answer is kept nowhere"))
        }
        let work: CommandRequests.Work
        switch entry.prepare(input, caller) {
        case .success(let prepared): work = prepared
        case .failure(let problem): return .failure(problem)
        }
        let isCommand = entry.declaration.isCommand
        let isRepeatable = options.idempotencyKey != nil && entry.declaration.takesIdempotencyKey
        guard let requests = self.requests, isCommand || isRepeatable else { return await work() }
        return await requests.call(
            name, input, for: caller, options: options, isCommand: isCommand, work: work)
    }
}
