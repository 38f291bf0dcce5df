package import CastWire

/// The languages that the errors of devices and sessions are told in.
///
/// Codes, numbers and names stay as they are: only the sentence that says what a code means is in the language that a caller prefers.
/// Each language has its table, ``ErrorTexts``, in a file of its own.
package enum ErrorLanguage: String, Sendable, Hashable, CaseIterable {
    /// English, for every caller that prefers no other of these.
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"

    /// The most ranges of one header that are looked at, and the most bytes of it.
    private static let limits = (ranges: 32, bytes: 1024)

    /// The language of a tag, found as RFC 4647, 3.4 finds it: `de-AT-1996` is German, since it begins with `de`. Nil for one of
    /// another language, and for `*`.
    package init?(tag: some StringProtocol) {
        let primary = tag.prefix { $0 != "-" }.lowercased()
        self.init(rawValue: primary)
    }

    /// The language that `Accept-Language` (RFC 9110, 12.5.4) prefers among these: the first of its ranges, by weight and then by
    /// place, that one fits. English when none fits.
    /// - Parameter header: the header's value. What of it cannot be read says nothing, and what is too much is not read.
    package init(acceptLanguage header: String) {
        let text = String(decoding: header.utf8.prefix(Self.limits.bytes), as: UTF8.self)
        let ranges = text.split(separator: ",").prefix(Self.limits.ranges).compactMap(WeightedRange.init)
        let refused = Set(ranges.filter { $0.weight == 0 }.compactMap { ErrorLanguage(tag: $0.tag) })
        let wanted = ranges.enumerated().filter { $0.element.weight > 0 }.sorted {
            ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset)
        }
        let found = wanted.lazy.compactMap { ErrorLanguage(tag: $0.element.tag) }
        self = found.first { !refused.contains($0) } ?? .english
    }

    /// The language that a process is set to: `LC_ALL`, `LC_MESSAGES` or `LANG`, the first that says something. English for `C`, and for
    /// a language that there is no table of.
    /// - Parameter environment: the variables, such as `["LANG": "de_AT.UTF-8"]`.
    package init(environment: [String: String]) {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let locale = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let tag = locale.prefix { $0 != "." && $0 != "@" }.replacing("_", with: "-")
        self = ErrorLanguage(tag: tag) ?? .english
    }

    /// What a code means, as a sentence without a full stop; nil for a code that no device and no session ends with.
    package func text(of code: CastErrorCode) -> String? {
        switch self {
        case .english: code.advice == nil ? nil : code.meaning
        case .german: ErrorTexts.german[code]
        case .french: ErrorTexts.french[code]
        case .spanish: ErrorTexts.spanish[code]
        }
    }
}

/// A range of `Accept-Language` with its weight.
private struct WeightedRange {
    let tag: String
    /// From 0, which refuses the language, to 1.
    let weight: Double

    /// Reads `de-AT;q=0.8`; nil for what is none.
    init?(_ text: Substring) {
        let parts = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
        guard let tag = parts.first, !tag.isEmpty else { return nil }
        self.tag = tag
        guard parts.count == 2 else {
            self.weight = 1
            return
        }
        guard parts[1].lowercased().hasPrefix("q="), let weight = Double(parts[1].dropFirst(2)),
            (0...1).contains(weight)
        else { return nil }
        self.weight = weight
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        var rest = text.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(rest)
    }
}

/// The tables of the languages beside English: a sentence for each code that a device or a session ends with.
enum ErrorTexts {}

extension OperationProblem {
    /// The problem with `localized_description`, what its number means in a language; itself when it has no number of the Cast SDKs.
    ///
    /// Everything else stays as it is: `detail`, which has names and values, is English.
    package func localized(in language: ErrorLanguage) -> OperationProblem {
        guard let code = self.members.int("cast_code").flatMap(CastErrorCode.init(rawValue:)),
            let text = language.text(of: code)
        else { return self }
        var members = self.members
        members["localized_description"] = .string(text)
        return OperationProblem(self.code, status: self.status, self.detail, faults: self.faults, members: members)
    }
}
