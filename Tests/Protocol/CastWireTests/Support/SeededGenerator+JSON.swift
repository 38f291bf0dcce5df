import CastWire
import CastwayTestSupport

extension SeededGenerator {
    /// A random value, nested at most as deep as told.
    mutating func json(depth: Int) -> JSONValue {
        switch self.int(0...(depth > 0 ? 8 : 5)) {
        case 0: .null
        case 1: .bool(self.once(in: 2))
        case 2: .number(self.int(-1000...1000))
        case 3: .number(Double(self.int(-1_000_000...1_000_000)) / 4096)
        case 4, 5: .string(self.text(upTo: 10))
        case 6: .array((0..<self.int(0...4)).map { _ in self.json(depth: depth - 1) })
        default: .object(self.jsonObject(depth: depth - 1))
        }
    }

    /// A random object whose names are often those that routing looks for, also twice.
    mutating func jsonObject(depth: Int) -> JSONObject {
        let names = ["type", "requestId", "responseType", "request_id", "Type", "types", "typ", "", "status"]
        return JSONObject(
            (0..<self.int(0...6)).map { _ in
                (
                    self.once(in: 4) ? self.text(upTo: 6) : names[self.int(0...(names.count - 1))],
                    self.json(depth: depth)
                )
            })
    }

    /// The same JSON with blanks between tokens and with some characters of strings written as escapes.
    mutating func disguise(_ json: String) -> String {
        var result = ""
        var inString = false
        var escaped = false
        var digitsOfAnEscape = 0
        for scalar in json.unicodeScalars {
            if inString {
                let wasEscaped = escaped || digitsOfAnEscape > 0
                digitsOfAnEscape = escaped && scalar == "u" ? 4 : max(0, digitsOfAnEscape - 1)
                escaped = !wasEscaped && scalar == "\\"
                if scalar == "\"", !wasEscaped { inString = false }
                if !wasEscaped, !escaped, inString, scalar.isASCII, self.once(in: 5) {
                    let digits = String(scalar.value, radix: 16, uppercase: self.once(in: 2))
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                    continue
                }
            } else {
                inString = scalar == "\""
                if "{}[]:,".unicodeScalars.contains(scalar) || inString {
                    result += [" ", "\n", "\t", "\r", "", "", ""][self.int(0...6)]
                }
            }
            result.unicodeScalars.append(scalar)
        }
        return result + ["", " ", "\n"][self.int(0...2)]
    }
}
