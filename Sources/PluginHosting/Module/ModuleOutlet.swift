import CastWire
import Glibc
import Synchronization

/// Takes what a module says, from whatever thread, to a descriptor, and notices the answer to `shutdown`.
final class ModuleOutlet: Sendable {
    private struct State {
        /// The id of the `shutdown` that was asked for.
        var ending: JSONValue?
        var isOver = false
    }

    private let wire: Int32
    private let bell: Int32
    private let state = Mutex(State())

    /// - Parameters:
    ///   - wire: where the lines go.
    ///   - bell: written to when `shutdown` has been answered.
    init(wire: Int32, bell: Int32) {
        self.wire = wire
        self.bell = bell
    }

    /// Whether `shutdown` has been answered.
    var isOver: Bool { self.state.withLock { $0.isOver } }

    /// Whether the plugin was asked to end.
    var isEnding: Bool { self.state.withLock { $0.ending != nil } }

    /// The plugin was asked to end.
    func expectEnd(answering id: JSONValue) {
        self.state.withLock { if $0.ending == nil { $0.ending = id } }
    }

    /// Takes whole lines.
    func take(_ lines: UnsafeRawBufferPointer) {
        self.state.withLock { state in
            // What comes behind the end is dropped.
            guard !state.isOver else { return }
            Self.write(lines, to: self.wire)
            guard let ending = state.ending else { return }
            state.isOver = lines.split(separator: UInt8(ascii: "\n")).contains { line in
                let object = (try? JSONReader.read(String(decoding: line, as: UTF8.self)))?.objectValue
                return object?["id"] == ending && object?["method"] == nil
            }
            if state.isOver { Self.write([0], to: self.bell) }
        }
    }

    private static func write(_ bytes: [UInt8], to file: Int32) {
        bytes.withUnsafeBytes { Self.write($0, to: file) }
    }

    /// Whoever does not listen any more misses nothing.
    private static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(file, rest.baseAddress, rest.count)
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate var baseAddress: UnsafeRawPointer? { UnsafeRawBufferPointer(rebasing: self).baseAddress }
}
