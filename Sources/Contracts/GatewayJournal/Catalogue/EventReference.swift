import CastWire
package import GatewayCore
import GatewayOperations

/// Events for people: Markdown made from their declarations.
package enum EventReference {
    /// The whole of `Docs/events-reference.md`.
    package static func document(_ declarations: [EventDeclaration]) -> String {
        let rows = declarations.map {
            "| [`\($0.name)`](#\(Self.anchor($0.name))) | \(Self.kind($0)) | \($0.subject.words) | \($0.scope.rawValue) | \($0.mayHaveCause ? "yes" : "") | \($0.summary) |"
        }
        return """
            # Events

            What a running gateway tells its readers. This page is made from the declarations in the source by `make docs`;
            [events](events.md) says how they are read, and what a frame has beside `data`.

            **State** events are the latest value of a resource: a reader that is too slow gets the newest, and `data` is complete
            without those before it. **Log** events come once each, or a `gap` frame covers them.

            Frames of events with `cause` below name the request of a caller that the event comes of, where the gateway knows it without
            guessing: [events](events.md#which-request-caused-an-event) says when.

            | event | class | `device` | scope | `cause` | what has happened |
            |---|---|---|---|---|---|
            \(rows.joined(separator: "\n"))

            \(declarations.map(Self.text).joined(separator: "\n"))
            """
    }

    private static func text(_ declaration: EventDeclaration) -> String {
        var lines = ["## \(declaration.name)", "", "\(declaration.summary). Class \(Self.kind(declaration))."]
        if declaration.endsResource { lines[2] += " The resource does not exist any more." }
        if declaration.members.isEmpty {
            lines += ["", "`data` is empty."]
        } else {
            lines += ["", "| `data` | type | meaning |", "|---|---|---|"]
            lines += declaration.members.map { member in
                let meaning = member.isOptional ? "\(member.meaning); may be missing" : member.meaning
                return "| `\(member.name)` | \(Self.kind(member.kind)) | \(meaning) |"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func anchor(_ name: String) -> String { name.replacing(".", with: "") }

    private static func kind(_ declaration: EventDeclaration) -> String {
        switch declaration.kind {
        case .log: "log"
        case .state(let resource, _, _): "state of `\(resource.rawValue)`"
        }
    }

    private static func kind(_ kind: JSONKind) -> String {
        switch kind {
        case .text: "text"
        case .word(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .integer: "whole number"
        case .number: "number"
        case .boolean: "`true` or `false`"
        case .object, .map: "object"
        case .list: "list"
        case .anything: "anything"
        }
    }
}
