import CastWire
import Testing

/// Texts that RFC 8259 allows, and texts that it does not.
@Suite struct JSONConformanceTests {
    static let valid: [String] = [
        "[]", " [] ", "[ ]", "\t[\n1\r,\t2 ]\n", "{}", "{ }", #"{ "a" : 1 , "b" : 2 }"#, #"{"":0}"#, #"{"a":1,"a":2}"#,
        "1", "-1", "0", "-0", "0e1", "0E-0", "0.1", "10", "1e1", "1E1", "1e+01", "1e-010", "123.456e+78", "-0.0e0",
        "true", "false", "null", "\"\"", "\" \"", "\"\u{7F}\"", "\"\u{80}\"", "\"\u{2028}\u{2029}\"", "\"\u{FEFF}\"",
        #""\u0000""#, #""\uDFFF""#, #""\uD800\uD800\n""#, #""\/""#, #""\\u0041""#, "[null,true,false,0,\"\",[],{}]",
        "[[[[[]]]]]", #"{"a":{"b":{"c":{}}}}"#, #"["\"]"]"#, #"["\\"]"#, #"["\\\""]"#, "[1e99999]",
        #"{"a":[],"b":{},"c":"}"}"#, "[\"\u{10FFFF}\"]", "[-9223372036854775809]",
    ]

    static let invalid: [String] = [
        "", " ", "[", "]", "{", "}", "[1", "[1,", "[,]", "[,1]", "[1,]", "[1,,2]", "[1 2]", "[1:2]", "[1;2]", "(1)",
        "{,}", "{1}", "{1:1}", "{a:1}", "{'a':1}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1 "b":2}"#, #"{"a",1}"#,
        #"{"a"::1}"#, #"{"a":1,,"b":2}"#, #"{"a":1}}"#, #"{"a":1]"#, "[1}", "[[1]", "[]]", #"{null:1}"#, #"{"a":b}"#,
        "+1", "++1", "--1", "-", "-a", "- 1", "01", "-01", "00", "1.", ".1", "-.1", "1.e1", "1.2.3", "1e", "1e+",
        "1e1.5",
        "1ee1", "0x10", "0b1", "1_000", "1a", "1f", "Infinity", "-Infinity", "NaN", "nan", "\u{FF11}", "1 000",
        "True", "TRUE", "tru", "truex", "nul", "nulll", "None", "undefined", "falsey", "#", "//", "/* */1", "1//",
        "\"", "\"a", "a\"", "'a'", "\"\t\"", "\"\u{0}\"", "\"\u{1F}\"", "\"\n\"", #""\""#, #""\a""#, #""\0""#, #""\'""#,
        #""\U0041""#,
        #""\u""#, #""\u0""#, #""\u00""#, #""\u000""#, #""\u00g0""#, #""\u 041""#, #""\u-041""#, #""\x41""#,
        #""\ud834\""#,
        #""\ud834\u""#, #""\ud834\ud""#, "\"a\" \"b\"", "\"a\"b", "[\"a]", "{\"a:1}", "1 2", "[][]", "{}{}",
        "null null",
        "\u{FEFF}[]", "\u{A0}1", "\u{0B}1", "\u{0C}1", "\u{2028}1", "[\u{0C}1]", "{\u{0B}}", "\u{0}", "[1]\u{0}",
        "“a”", "[\"a\",\n'b']", "$", "<a>", "{\"a\":undefined}", "[1,\"", "[{", "[{\"a\":", "*", "[*]", "`1`",
    ]

    @Test(arguments: valid) func validTextIsRead(_ text: String) throws {
        let value = try JSONReader.read(text)
        #expect(try JSONReader.read(value.text) == value)
        #expect(throws: Never.self) { try JSONReader.read("[\(text)]") }
        #expect(throws: Never.self) { try JSONReader.read(#"{"a":\#(text),"b":1}"#) }
    }

    @Test(arguments: invalid) func invalidTextIsRefused(_ text: String) {
        #expect(throws: JSONError.self) { try JSONReader.read(text) }
    }
}
