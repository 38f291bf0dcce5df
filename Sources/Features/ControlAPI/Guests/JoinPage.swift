import GatewayOperations
import NIOCore

/// The page on which guests redeem join codes: HTML for phones, without scripts, pictures, or anything else to fetch.
struct JoinPage: Sendable {
    /// What it shows.
    enum Content: Sendable {
        /// A field for the digits.
        case digits
        /// A button for a link; the text is what the link ends in.
        case link(String)
        /// What came of it.
        case welcome(GuestWelcome)
        /// Why it was not taken, and the field again.
        case refused(JoinRefusal)
    }

    /// What the gateway is called.
    let gateway: String
    let content: Content
    /// The language that the guest's browser prefers.
    let language: ErrorLanguage

    private var texts: JoinPageTexts { JoinPageTexts(self.language) }

    /// The page as HTML.
    /// - Parameter nonce: by which the browser tells the page's own style from any other.
    func html(nonce: String) -> String {
        """
        <!doctype html>
        <html lang="\(self.language.rawValue)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>\(self.title.escaped)</title>
        <link rel="icon" href="data:,">
        <style nonce="\(nonce)">\(Self.style)</style>
        </head>
        <body>
        <main>
        <p class="gateway">\(self.gateway.escaped)</p>
        <h1>\(self.title.escaped)</h1>
        \(self.main)
        </main>
        </body>
        </html>

        """
    }

    private var title: String {
        switch self.content {
        case .digits: self.texts.enterCode
        case .link: self.texts.join
        case .welcome(let welcome): welcome.devices.isEmpty ? self.texts.yourToken : self.texts.welcome
        case .refused: self.texts.failed
        }
    }

    private var main: String {
        switch self.content {
        case .digits:
            "<p>\(self.texts.eightDigits.escaped)</p>\n" + self.form
        case .link(let link):
            """
            <p>\(self.texts.useNetwork.escaped)</p>
            <form method="post" action="/">
            <input type="hidden" name="\(JoinForm.field)" value="\(link.escaped)">
            <button autofocus>\(self.texts.join.escaped)</button>
            </form>
            """
        case .welcome(let welcome): self.text(of: welcome)
        case .refused(let reason):
            "<p class=\"problem\" role=\"alert\">\(self.texts.reason(reason).escaped)</p>\n" + self.form
        }
    }

    private var form: String {
        """
        <form method="post" action="/">
        <label for="code">\(self.texts.code.escaped)</label>
        <input id="code" name="\(JoinForm.field)" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="16" \
        placeholder="1234 5678" required autofocus>
        <button>\(self.texts.join.escaped)</button>
        </form>
        """
    }

    private func text(of welcome: GuestWelcome) -> String {
        var html = ""
        if !welcome.devices.isEmpty {
            let names = welcome.devices.map { "<li>\($0.escaped)</li>" }.joined()
            html += """
                <p>\(self.texts.choose.escaped)</p>
                <ul>\(names)</ul>

                """
        }
        if let token = welcome.token {
            html += """
                <p>\(self.texts.token.escaped)</p>
                <p><code>\(token.escaped)</code></p>

                """
        }
        let end = "<time datetime=\"\(welcome.end)\">\(self.texts.time(welcome).escaped)</time>"
        return html + "<p class=\"soft\">\(self.texts.until.escaped.replacing("{time}", with: end))</p>"
    }

    // MARK: Headers

    /// What the page may do: show itself, and send its form.
    static func policy(nonce: String) -> String {
        "default-src 'none'; style-src 'nonce-\(nonce)'; img-src data:; base-uri 'none'; form-action 'self'; "
            + "frame-ancestors 'none'"
    }

    /// A browser that is told to send no referrer at all says `Origin: null` with a form, which would be refused; other sites get nothing
    /// by this either.
    static let referrerPolicy = "same-origin"

    private static let style = """
        :root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --back: #fff; --line: #8c959f; --button: #0550ae; \
        --on-button: #fff; --problem: #a40e26; }
        @media (prefers-color-scheme: dark) { :root { --text: #e6e9ec; --soft: #a3adb8; --back: #14181d; --line: #6e7781; \
        --button: #7cb7ff; --on-button: #10161d; --problem: #ff8a94; } }
        * { box-sizing: border-box; }
        body { margin: 0; color: var(--text); background: var(--back); font: 1.125rem/1.5 system-ui, sans-serif; }
        main { max-width: 26rem; margin: 0 auto; padding: 2rem 1.25rem; }
        h1 { margin: 0 0 1rem; font-size: 1.75rem; line-height: 1.2; }
        .gateway { margin: 0 0 .25rem; color: var(--soft); overflow-wrap: anywhere; }
        .soft { color: var(--soft); }
        .problem { color: var(--problem); font-weight: 600; }
        label { display: block; margin: 0 0 .25rem; font-weight: 600; }
        input[type=text] { width: 100%; padding: .75rem; font: inherit; font-size: 1.75rem; letter-spacing: .08em; color: inherit; \
        background: var(--back); border: 2px solid var(--line); border-radius: .5rem; }
        button { width: 100%; margin: 1rem 0 0; padding: .9rem; font: inherit; font-weight: 600; color: var(--on-button); \
        background: var(--button); border: 0; border-radius: .5rem; }
        ul { padding-left: 1.25rem; font-weight: 600; }
        li, code { overflow-wrap: anywhere; }
        code { font-family: ui-monospace, monospace; user-select: all; }
        :focus-visible { outline: 3px solid var(--button); outline-offset: 2px; }
        """
}
