import CastWire

/// One operation of an OpenAPI document, for the page.
struct DocumentedOperation {
    let name: String
    /// What it belongs to.
    let family: String
    private let method: String
    private let path: String
    private let json: JSONObject
    private let schemas: DocumentedSchemas

    /// - Parameter schemas: what references lead to.
    init(method: String, path: String, _ json: JSONObject, schemas: DocumentedSchemas) {
        // A stream is no operation, and goes by its path.
        self.name = json.string("operationId") ?? path
        self.family = json.array("tags")?.first?.stringValue ?? ""
        self.method = method.uppercased()
        self.path = path
        self.json = json
        self.schemas = schemas
    }

    var html: String {
        let id = self.name.escaped
        return """
            <article aria-labelledby="\(id)">
            <h3 id="\(id)"><a href="#\(id)">\(id)</a> <small>\((self.json.string("summary") ?? "").inline)</small></h3>
            <p class="route"><b class="\(self.method.lowercased())">\(self.method)</b> <code>\(self.path.escaped)</code></p>
            \((self.json.string("description") ?? "").paragraphs)
            \(self.inputs)\(self.answers)\(self.problems)
            <h4>Example</h4>
            <pre tabindex="0"><code>\(self.example.escaped)</code></pre>
            </article>
            """
    }

    // MARK: What it takes

    private var parameters: [JSONObject] { (self.json.array("parameters") ?? []).compactMap(\.objectValue) }

    private var body: JSONObject {
        let content = self.json.object("requestBody")?.object("content")?.object("application/json")
        return self.schemas.resolved(content?.object("schema") ?? [:])
    }

    private static func schema(of parameter: JSONObject) -> JSONObject {
        parameter.object("schema")
            ?? parameter.object("content")?.object("application/json")?.object("schema") ?? [:]
    }

    private var inputs: String {
        let rows = self.parameters.map { parameter in
            let schema = Self.schema(of: parameter)
            return [
                "<code>\((parameter.string("name") ?? "").escaped)</code>", parameter.string("in") ?? "",
                self.schemas.type(schema), Self.presence(schema, isRequired: parameter.bool("required") ?? false),
                (parameter.string("description") ?? "").inline,
            ]
        }
        let required = Set((self.body.array("required") ?? []).compactMap(\.stringValue))
        let members = (self.body.object("properties") ?? [:]).members.map { name, value in
            let schema = value.objectValue ?? [:]
            return [
                "<code>\(name.escaped)</code>", "body", self.schemas.type(schema),
                Self.presence(schema, isRequired: required.contains(name)), (schema.string("description") ?? "").inline,
            ]
        }
        // What every operation of the kind has comes last.
        let own = rows.filter { $0[1] != "header" && $0[0] != "<code>wait</code>" }
        let common = rows.filter { !own.contains($0) }
        return Self.table("Input", ["key", "in", "type", "default", "meaning"], own + members + common)
    }

    private static func presence(_ schema: JSONObject, isRequired: Bool) -> String {
        if isRequired { return "<strong>required</strong>" }
        return schema["default"].map { "<code>\($0.text.escaped)</code>" } ?? "–"
    }

    // MARK: What it answers

    private var responses: [(status: String, response: JSONObject)] {
        (self.json.object("responses") ?? [:]).members.map {
            ($0.name, self.schemas.resolved($0.value.objectValue ?? [:]))
        }
    }

    private var answers: String {
        self.responses.filter { Self.isSuccess($0.status) }.map { status, response in
            let content = response.object("content")?.object("application/json")
            let rows = self.schemas.rows(content?.object("schema") ?? [:])
            let type = response.object("content")?.members.first?.name ?? "application/json"
            let form = type == "application/json" ? "" : ", `\(type)`"
            let title = "Answer \(status): \(response.string("description") ?? "")\(form)"
            return Self.table(title, ["member", "type", "meaning"], rows)
        }.joined()
    }

    private static func isSuccess(_ status: String) -> Bool { status.hasPrefix("2") || status == "101" }

    private var problems: String {
        let rows = self.responses.filter { !Self.isSuccess($0.status) }.flatMap { status, response in
            (response.string("description") ?? "").split(separator: "\n\n").map { line in
                let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
                return [status, (parts.first ?? "").inline, (parts.count > 1 ? parts[1] : "").inline]
            }
        }
        let table = Self.table("Problems", ["status", "code", "when"], rows)
        return "<details><summary>Problems (\(rows.count))</summary>\n\(table)</details>\n"
    }

    private static func table(_ title: String, _ columns: [String], _ rows: [[String]]) -> String {
        guard !rows.isEmpty else { return title == "Input" ? "" : "<h4>\(title.inline)</h4>\n" }
        let head = columns.map { "<th scope=\"col\">\($0)</th>" }.joined()
        let lines = rows.map { row in
            "<tr>"
                + row.enumerated().map { index, cell in
                    index == 0 ? "<th scope=\"row\">\(cell)</th>" : "<td>\(cell)</td>"
                }.joined() + "</tr>"
        }
        return """
            <h4>\(title.inline)</h4>
            <div class="table" tabindex="0" role="region" aria-label="\(title.escaped)"><table>
            <thead><tr>\(head)</tr></thead>
            <tbody>\(lines.joined(separator: "\n"))</tbody>
            </table></div>

            """
    }

    // MARK: How it is asked

    private var example: String {
        var path = self.path
        var query: [String] = []
        for parameter in self.parameters {
            let name = parameter.string("name") ?? ""
            let value = self.schemas.example(Self.schema(of: parameter))
            let texts = (value.arrayValue ?? [value]).map { $0.stringValue ?? $0.text }
            if parameter.string("in") == "path" {
                path = path.replacing("{\(name)}", with: texts.joined())
            } else if parameter.bool("required") == true {
                query += texts.map { "\(name)=\($0)" }
            }
        }
        if !query.isEmpty { path += "?" + query.joined(separator: "&") }
        var lines = ["curl -H \"Authorization: Bearer $TOKEN\""]
        if self.method != "GET" { lines[0] += " -X \(self.method)" }
        let body = self.schemas.example(self.body)
        if self.json["requestBody"] != nil, let text = body.objectValue.map({ JSONValue.object($0).text }) {
            lines.append("-H 'Content-Type: application/json' -d '\(text.replacing("'", with: #"'\''"#))'")
        }
        return (lines + ["\"$GATEWAY\(path)\""]).joined(separator: " \\\n  ")
    }
}
