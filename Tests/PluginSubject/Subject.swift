import Glibc
import PluginKit

/// A plugin that says what it hears, and misbehaves on its standard streams.
@main struct Subject: CastPlugin {
    init(_ gateway: PluginGateway) throws {
        guard gateway.configuration.json.bool("works") ?? true else {
            throw ConfigurationProblem(path: "/works", message: "should be true")
        }
    }

    func handle(_ message: PluginMessage) async throws -> Verdict {
        switch message.type {
        case "PRINT":
            print("something that was printed")
            return .reply(["type": "PRINTED", "read": .string(readLine() ?? "nothing")])
        case "ON_MAIN":
            // The main actor is free for those that need it.
            return .reply(["type": "ON_MAIN", "answer": .number(await Self.onMain())])
        default: return .reply(message.payload)
        }
    }

    @MainActor private static func onMain() -> Int { 42 }
}
