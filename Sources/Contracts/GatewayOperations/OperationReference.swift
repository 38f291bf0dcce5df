import CastWire
import GatewayConfig

/// Operations for people: Markdown made from their declarations.
package enum OperationReference {
    /// The whole of `Docs/operations-reference.md`.
    package static func document(_ declarations: [OperationDeclaration]) -> String {
        let common = OperationDeclaration.commonProblems.map { "| `\($0.code)` | \($0.status) | \($0.meaning) |" }
        let rows = declarations.map {
            "| [`\($0.name)`](#\(Self.anchor($0.name))) | \($0.scope.rawValue) | `\($0.route)` | \($0.summary) |"
        }
        return """
            # Operations

            What a running gateway does for its callers. This page is made from the declarations in the source by `make docs`; the same
            declarations make the routes and check every input.

            - **Over HTTP**: at the [API](api.md) and the [admin listener](operations.md), by the method and path below. Keys in braces stand in the path; the others in
              the query of `GET` and `DELETE`, and in a JSON object in the body of the rest.
            - **At the terminal**: `castway call session.start device=wall app=CC1AD845`; `castway call` lists the operations.

            A refusal is a problem detail (RFC 9457, `application/problem+json`): `code` is what programs compare, `detail` says what is wrong in a
            sentence, and `errors` names each fault of the input by its JSON pointer. Beside the codes of each operation there are:

            **Commands** ask a device for something. A call of one is a *request*: it is answered when the device's own status shows what was
            asked for, or when it has failed, and with 202 and the request after `wait` seconds (0 to 10; over HTTP `?wait=0`, at the terminal
            `--wait 0`). `request.get` tells how it stands for ten minutes after its end, `request.cancel` takes it back, and the event
            `request.changed` tells its end. It ends as `confirmed`, `failed`, `superseded` (a newer command took its place), `timed_out`, `cancelled`, or
            `unknown`: the device had been asked when the channel was lost, so it may have been done.

            **Asked twice, done once**: a call with an `Idempotency-Key` (at the terminal `--idempotency-key`) that was sent before in the last ten
            minutes is answered as the first was. The same key with another input is refused.

            | code | status | when |
            |---|---|---|
            \(common.joined(separator: "\n"))

            | operation | scope | over HTTP | what it does |
            |---|---|---|---|
            \(rows.joined(separator: "\n"))

            \(declarations.map { Self.text($0, level: 2) }.joined(separator: "\n"))
            """
    }

    /// One operation.
    /// - Parameter level: of its heading.
    package static func text(_ declaration: OperationDeclaration, level: Int) -> String {
        var lines = [
            "\(String(repeating: "#", count: level)) \(declaration.name)", "",
            "\(declaration.summary). "
                + "`\(declaration.route)`, scope `\(declaration.scope.rawValue)`\(declaration.isCommand ? "; a command" : "").",
        ]
        if !declaration.details.isEmpty { lines += ["", declaration.details] }
        if let text = declaration.scopedPartsText { lines += ["", text] }
        if !declaration.fields.isEmpty {
            lines += ["", "| input | type | default | meaning |", "|---|---|---|---|"]
            lines += declaration.fields.map { field in
                "| `\(field.name)` | \(field.typeText) | \(Self.presence(field)) | \(field.meaning) |"
            }
        }
        lines += ["", "It answers \(declaration.result.status): \(declaration.result.summary.lowercasedFirst).", ""]
        lines += ["| answer | type | meaning |", "|---|---|---|"]
        lines += Self.rows(declaration.result.members, in: "")
        if !declaration.problems.isEmpty {
            lines += ["", "| problem | status | when |", "|---|---|---|"]
            lines += declaration.problems.map { "| `\($0.code)` | \($0.status) | \($0.meaning) |" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func anchor(_ name: OperationName) -> String { name.rawValue.replacing(".", with: "") }

    private static func presence(_ field: ConfigField) -> String {
        switch field.presence {
        case .required: "required"
        case .optional: "-"
        case .defaultsTo(let text): "`\(text)`"
        case .sameAs(let other): "as `\(other)`"
        }
    }

    private static func rows(_ members: [OperationResult.Member], in path: String) -> [String] {
        members.flatMap { member -> [String] in
            let name = path + member.name
            let meaning = member.isOptional ? "\(member.meaning); may be missing" : member.meaning
            return ["| `\(name)` | \(member.kind.text) | \(meaning) |"] + Self.rows(below: member.kind, in: name)
        }
    }

    private static func rows(below kind: OperationResult.Kind, in path: String) -> [String] {
        switch kind {
        case .object(let members): Self.rows(members, in: path + ".")
        case .list(let kind): Self.rows(below: kind, in: path + "[]")
        case .map(let kind): Self.rows(below: kind, in: path + ".NAME")
        default: []
        }
    }
}

extension OperationResult.Kind {
    /// The kind in a word or two.
    fileprivate var text: String {
        switch self {
        case .text: "text"
        case .word(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .integer: "whole number"
        case .number: "number"
        case .boolean: "`true` or `false`"
        case .object: "object"
        case .map: "object"
        case .list(let kind): "list of \(kind.plural)"
        case .anything: "anything"
        }
    }

    private var plural: String {
        switch self {
        case .text, .word: "texts"
        case .integer, .number: "numbers"
        case .boolean: "truth values"
        case .object, .map: "objects"
        case .list: "lists"
        case .anything: "anything"
        }
    }
}

extension String {
    fileprivate var lowercasedFirst: String { self.prefix(1).lowercased() + self.dropFirst() }
}
