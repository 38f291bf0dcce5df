/// Why a text is not JSON, with the byte at which it stops being so.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of fault.
    public enum Reason: String, Hashable, Sendable {
        case unexpectedEnd = "the text ends too early"
        case unexpectedByte = "an unexpected character"
        case invalidNumber = "a malformed number"
        case invalidEscape = "a malformed escape"
        case invalidText = "text that is not UTF-8"
        case tooDeep = "nesting beyond the limit"
        case trailingBytes = "something behind the value"
    }

    /// What is wrong.
    public let reason: Reason
    /// Where, counted in bytes from 0.
    public let offset: Int

    /// One line for a log or an answer.
    public var description: String { "\(self.reason.rawValue) at byte \(self.offset)" }
}
