import CastWire
import NIOCore

/// An OpenAPI document as one page for people: HTML without scripts, pictures, or anything else to fetch.
struct DocumentationPage: Sendable {
    private let head: ByteBuffer
    private let body: ByteBuffer

    /// Renders a document.
    init(_ document: JSONObject) {
        let info = document.object("info") ?? [:]
        let title = "\(info.string("title") ?? "") \(info.string("version") ?? "")"
        let operations = Self.operations(document)
        let families = operations.reduce(into: [(name: String, operations: [DocumentedOperation])]()) {
            list, operation in
            if list.last?.name == operation.family {
                list[list.count - 1].operations.append(operation)
            } else {
                list.append((operation.family, [operation]))
            }
        }
        self.head = ByteBuffer(
            string: """
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>\(title.escaped): operations</title>
                <link rel="icon" href="data:,">

                """)
        let links = families.map { family in
            let items = family.operations.map {
                "<li><a href=\"#\($0.name.escaped)\">\($0.name.escaped)</a></li>"
            }
            return "<li><a class=\"family\" href=\"#family-\(family.name.escaped)\">\(family.name.escaped)</a>"
                + "<ul>\(items.joined())</ul></li>"
        }
        let sections = families.map { family in
            "<section aria-labelledby=\"family-\(family.name.escaped)\">\n"
                + "<h2 id=\"family-\(family.name.escaped)\">\(family.name.escaped)</h2>\n"
                + family.operations.map(\.html).joined(separator: "\n") + "\n</section>"
        }
        self.body = ByteBuffer(
            string: """
                \(DocumentationStyle.text)</style>
                </head>
                <body>
                <a class="skip" href="#main">Skip to the operations</a>
                <header>
                <h1>\(title.escaped)</h1>
                \((info.string("description") ?? "").paragraphs)
                <p>The same for programs: <a href="/openapi.json">openapi.json</a>. In the examples <code>$GATEWAY</code> is where the gateway \
                listens, such as <code>http://127.0.0.1:8480</code>, and <code>$TOKEN</code> a token where one is needed.</p>
                </header>
                <div class="columns">
                <nav aria-label="Operations"><details open><summary>Operations</summary><ul>\(links.joined(separator: "\n"))</ul></details></nav>
                <main id="main" tabindex="-1">
                \(sections.joined(separator: "\n"))
                </main>
                </div>
                </body>
                </html>

                """)
    }

    /// The operations, by family and name.
    private static func operations(_ document: JSONObject) -> [DocumentedOperation] {
        let schemas = DocumentedSchemas(document)
        let paths = document.object("paths") ?? [:]
        let operations = paths.members.flatMap { path in
            (path.value.objectValue ?? [:]).members.compactMap { method in
                method.value.objectValue.map {
                    DocumentedOperation(method: method.name, path: path.name, $0, schemas: schemas)
                }
            }
        }
        return operations.sorted { ($0.family, $0.name) < ($1.family, $1.name) }
    }

    /// The page in pieces, of which only a short one is made for the request.
    /// - Parameter nonce: by which the browser tells the page's own style from any other.
    func html(nonce: String) -> [ByteBuffer] {
        [self.head, ByteBuffer(string: "<style nonce=\"\(nonce)\">"), self.body]
    }

    /// A new nonce.
    static func makeNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in String(UInt64.random(in: .min ... .max, using: &generator), radix: 36) }.joined()
    }

    /// What the page may do: show itself.
    static func policy(nonce: String) -> String {
        "default-src 'none'; style-src 'nonce-\(nonce)'; img-src data:; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
    }
}
