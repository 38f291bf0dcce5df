import CastWire
import NIOCore

/// Reads the members of one object straight from the bytes of a line, for what is read many times a second.
///
/// The bytes are passed to each step, so that their lifetime stays with the caller.
struct SpanReader {
    var scanner: JSONScanner
    /// The path that faults are reported under.
    let path: String

    init(at offset: Int, path: String) {
        self.scanner = JSONScanner(offset: offset)
        self.path = path
    }

    /// The errors of a step.
    enum Fault: Error {
        case json(JSONError)
        case value(PluginWireError)

        var description: String {
            switch self {
            case .json(let error): error.description
            case .value(let error): error.description
            }
        }
    }

    func fault(_ name: StaticString, _ expected: String) -> Fault {
        .value(PluginWireError(self.path.isEmpty ? "\(name)" : "\(self.path).\(name)", expected))
    }

    mutating func enter(_ bytes: Span<UInt8>) throws(Fault) {
        do throws(JSONError) { try self.scanner.enterObject(bytes) } catch { throw .json(error) }
    }

    mutating func nextName(_ bytes: Span<UInt8>, isFirst: inout Bool) throws(Fault) -> JSONScanner.Name? {
        do throws(JSONError) { return try self.scanner.nextName(bytes, isFirst: &isFirst) } catch { throw .json(error) }
    }

    /// Steps over a value.
    /// - Returns: where it stands.
    @discardableResult
    mutating func skip(_ bytes: Span<UInt8>) throws(Fault) -> Range<Int> {
        let start = self.scanner.offset
        do throws(JSONError) { try self.scanner.skipValue(bytes, depth: 1) } catch { throw .json(error) }
        return start..<self.scanner.offset
    }

    /// True when a string comes next.
    func isString(_ bytes: Span<UInt8>) -> Bool {
        self.scanner.offset < bytes.count && bytes[self.scanner.offset] == UInt8(ascii: "\"")
    }

    /// True when `null` was there; it is stepped over.
    mutating func takeNull(_ bytes: Span<UInt8>) throws(Fault) -> Bool {
        guard self.scanner.offset < bytes.count, bytes[self.scanner.offset] == UInt8(ascii: "n") else { return false }
        do throws(JSONError) { try self.scanner.expect("null", bytes) } catch { throw .json(error) }
        return true
    }

    /// A string, or nil for `null`.
    mutating func string(_ name: StaticString, _ bytes: Span<UInt8>) throws(Fault) -> String? {
        if try self.takeNull(bytes) { return nil }
        guard self.isString(bytes) else { throw self.fault(name, "should be a string") }
        do throws(JSONError) { return try self.scanner.string(bytes) } catch { throw .json(error) }
    }

    /// A string as its bytes, or nil for `null`.
    mutating func stringBytes(_ name: StaticString, _ bytes: Span<UInt8>) throws(Fault) -> ByteBuffer? {
        if try self.takeNull(bytes) { return nil }
        guard self.isString(bytes) else { throw self.fault(name, "should be a string") }
        do throws(JSONError) { return try self.scanner.stringBytes(bytes) } catch { throw .json(error) }
    }

    /// A whole number, or nil for `null`.
    mutating func int(_ name: StaticString, _ bytes: Span<UInt8>) throws(Fault) -> Int? {
        if try self.takeNull(bytes) { return nil }
        let start = self.scanner
        let range = try self.skip(bytes)
        if range.count < 19 {
            var value = 0
            var isPlain = true
            for index in range {
                let byte = bytes[index]
                guard byte >= 0x30, byte <= 0x39 else {
                    isPlain = false
                    break
                }
                value = value * 10 + Int(byte - 0x30)
            }
            if isPlain { return value }
        }
        var again = start
        guard let number = try? again.number(bytes), again.offset == range.upperBound, let value = number.intValue
        else {
            throw self.fault(name, "should be a whole number")
        }
        return value
    }

    /// A number or a string, or nil for `null`.
    mutating func requestID(_ name: StaticString, _ bytes: Span<UInt8>) throws(Fault) -> RequestID? {
        if try self.takeNull(bytes) { return nil }
        if self.isString(bytes) { return RequestID(json: try self.string(name, bytes).map { .string($0) }) }
        do throws(JSONError) {
            return RequestID(json: .number(try self.scanner.number(bytes)))
        } catch {
            throw self.fault(name, "should be a number or a string")
        }
    }

    /// A time in milliseconds, or nil for `null`.
    mutating func milliseconds(_ name: StaticString, _ bytes: Span<UInt8>) throws(Fault) -> Duration? {
        guard let value = try self.int(name, bytes) else { return nil }
        guard let duration = Duration(wireMilliseconds: value) else {
            throw self.fault(name, "should be milliseconds, from 0 to \(Duration.maximumWireMilliseconds)")
        }
        return duration
    }

    /// What `payload` holds: the exact text of a string, or an object or list as it stands in the line; nil for `null`.
    mutating func payload(_ bytes: Span<UInt8>, of line: ByteBuffer) throws(Fault) -> CastMessage.Payload? {
        if self.isString(bytes) { return try self.stringBytes("payload", bytes).map { .text($0) } }
        if try self.takeNull(bytes) { return nil }
        let range = try self.skip(bytes)
        let first = range.isEmpty ? 0 : bytes[range.lowerBound]
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            (try? UTF8Span(validating: bytes.extracting(range))) != nil,
            let slice = line.getSlice(at: line.readerIndex + range.lowerBound, length: range.count)
        else { throw self.fault("payload", "should be a string, an object or a list") }
        return .text(slice)
    }

    /// What `payloadB64` holds; nil for `null`.
    mutating func binaryPayload(_ bytes: Span<UInt8>) throws(Fault) -> CastMessage.Payload? {
        guard let text = try self.stringBytes("payloadB64", bytes) else { return nil }
        guard let decoded = Base64.bytes(text.readableBytesView) else {
            throw self.fault("payloadB64", "should be base 64")
        }
        return .binary(decoded)
    }
}
