import CastWire
import Glibc
import PluginKit
import Synchronization

/// What chaos.py is, in Swift: a plugin that does wrong when it is told to, `chaos-subject WHEN WHAT`.
@main struct ChaosSubject: CastPlugin {
    private let gateway: PluginGateway
    /// How many messages were kept.
    private static let held = Atomic(0)

    static func main() async {
        Fault.reach("spawn")
        await (Self.self as any CastPlugin.Type).main()
    }

    init(_ gateway: PluginGateway) throws {
        self.gateway = gateway
        Fault.reach("initialize")
    }

    func start(_ snapshot: PluginSnapshot) async throws {
        Fault.reach("start")
    }

    func health() async -> PluginHealth {
        Fault.reach("idle")
        return .ok
    }

    func drain() async {
        Fault.reach("drain")
    }

    func handle(_ message: PluginMessage) async throws -> Verdict {
        switch message.type {
        case "FAULT":
            guard let fault = Fault.planned(at: "message") else { return .pass }
            return try await self.handle(message, with: fault)
        case "EXIT": _exit(3)
        case "HOLD":
            Self.held.add(1, ordering: .relaxed)
            return await Self.nothing()
        default: return Self.reply("ANSWER")
        }
    }

    private func handle(_ message: PluginMessage, with fault: Fault) async throws -> Verdict {
        switch fault {
        case .silence: return await Self.nothing()
        case .late:
            // Long after the deadline, which begins only when the gateway has read the deferral. It ignores its cancellation.
            self.gateway.clock.after(.seconds(6)) {
                self.gateway.complete(message, with: Self.reply("LATE"))
            }
            return .deferred(within: .seconds(3))
        case .twice:
            self.gateway.clock.after(.milliseconds(1)) {
                for word in ["FIRST", "SECOND"] { self.gateway.complete(message, with: Self.reply(word)) }
            }
            return .deferred(within: .seconds(3))
        case .throwing: throw PluginRPCError(.internalError, "it broke")
        default:
            fault.happen()
            // What only makes noise answers, too; the rest would not come here, or has said something else.
            return fault == .floodOfErrors || fault == .flood ? Self.reply("AFTER") : await Self.nothing()
        }
    }

    /// Waits for ever, whatever happens to the task.
    private static func nothing() async -> Verdict {
        await withUnsafeContinuation { (_: UnsafeContinuation<Verdict, Never>) in }
    }

    /// A reply that says which process gave it.
    private static func reply(_ word: String) -> Verdict {
        .reply([
            "type": .string(word), "pid": .number(Int(getpid())), "held": .number(Self.held.load(ordering: .relaxed)),
        ])
    }
}
