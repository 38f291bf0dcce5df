import CastWire
import GatewayOperations
import Testing

/// The languages of errors: which one a caller gets, and that each has a text for each code.
@Suite struct ErrorLanguageTests {
    @Test(arguments: [
        ("de", "de"), ("de-AT", "de"), ("DE-at-1996", "de"), ("fr;q=0.5, es", "es"), ("fr;q=0.5,es;q=0.5", "fr"),
        ("it, pt;q=0.9, fr;q=0.1", "fr"), ("en-GB, de", "en"), ("nl, *", "en"), ("", "en"), ("*", "en"),
        ("de;q=0, es;q=0.2", "es"), ("de-AT, de;q=0", "en"), (" es ; q=0.3 , fr ; q=0.4", "fr"), ("den", "en"),
        ("de;q=2, fr;q=0.1", "fr"), ("de;q=x", "en"), (",,;,;q=1", "en"), ("de;level=1, fr", "fr"),
    ])
    func theHeaderChooses(header: String, language: String) {
        #expect(ErrorLanguage(acceptLanguage: header).rawValue == language)
    }

    @Test func aLongHeaderIsReadInPart() {
        let ranges = String(repeating: "it,", count: 200) + "de"
        #expect(ErrorLanguage(acceptLanguage: ranges) == .english, "not all of it is looked at")
        let header = "fr;q=0.2," + String(repeating: "x", count: 1_000_000)
        #expect(ErrorLanguage(acceptLanguage: header) == .french)
    }

    @Test(arguments: [
        (["LANG": "de_AT.UTF-8"], "de"), (["LANG": "fr_FR", "LC_MESSAGES": "es_ES.UTF-8"], "es"),
        (["LANG": "fr", "LC_ALL": "", "LC_MESSAGES": ""], "fr"), (["LC_ALL": "C.UTF-8", "LANG": "de_DE"], "en"),
        (["LANG": "de@euro"], "de"), ([:], "en"), (["LANG": "POSIX"], "en"),
    ])
    func theProcessChooses(environment: [String: String], language: String) {
        #expect(ErrorLanguage(environment: environment).rawValue == language)
    }

    @Test(arguments: ErrorLanguage.allCases)
    func eachCodeHasAText(language: ErrorLanguage) {
        var texts: Set<String> = []
        for code in CastErrorCode.allCases {
            let english = ErrorLanguage.english.text(of: code)
            let text = language.text(of: code)
            #expect((text == nil) == (english == nil), "\(code.name) in \(language.rawValue)")
            guard let text else { continue }
            #expect(!text.isEmpty && !text.hasSuffix(".") && text.first?.isUppercase != true || text.hasPrefix("TLS"))
            #expect(texts.insert(text).inserted, "\(code.name) says the same as another: \(text)")
            if language != .english { #expect(text != english) }
        }
        #expect(texts.count > 40)
    }

    @Test func onlyTheSentenceIsTranslated() {
        let problem = OperationProblem(deviceFailure: .applicationNotFound, "'wall' does not know 'AAAA0002'")
        let german = problem.localized(in: .german)
        #expect(german.json.string("localized_description") == "das Gerät kennt die App nicht")
        #expect(german.code == problem.code && german.status == problem.status && german.detail == problem.detail)
        #expect(german.json.int("cast_code") == 20)
        let english = problem.localized(in: .english)
        #expect(english.json.string("localized_description") == "the device does not know the app")
        let other = OperationProblem.missing("unknown_device", "there is no device 'attic'").localized(in: .french)
        #expect(other.json["localized_description"] == nil, "what is no failure of a device has no number")
    }
}
