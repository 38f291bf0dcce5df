import CPluginModule
import CastWire
package import GatewayCore
import Glibc
import Synchronization

/// Runs a library's plugin as if it were a program: in this process, with its lines on standard input and output. So what a program
/// is tried out with is good for libraries too, and a crash is the crash of this process alone.
package struct ModuleHost {
    /// The exit status of one whose library cannot be used, or says that it is beyond use.
    package static let failureStatus: Int32 = 70

    private let plugin: cw_plugin
    private let outlet: ModuleOutlet
    private let wire: Int32
    private let bell: Int32
    /// The bytes since the last newline.
    private var line: [UInt8] = []

    /// Loads a library from a folder, and opens its plugin. What prints goes to standard error from here on.
    /// - Throws: ``GatewayError`` that says what is wrong with the library.
    package init(library: String, in folder: String, instance: String) throws(GatewayError) {
        signal(SIGPIPE, SIG_IGN)
        self.wire = dup(STDIN_FILENO)
        let output = dup(STDOUT_FILENO)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        let nothing = Glibc.open("/dev/null", O_RDONLY)
        dup2(nothing, STDIN_FILENO)
        close(nothing)
        var bells: [Int32] = [-1, -1]
        guard self.wire >= 0, output >= 0, pipe(&bells) == 0 else {
            throw GatewayError(.unavailable, "no descriptor is left")
        }
        self.bell = bells[0]
        self.outlet = ModuleOutlet(wire: output, bell: bells[1])
        do {
            // Stays as long as the process: a module may call `send` after its end.
            let context = Unmanaged.passRetained(self.outlet).toOpaque()
            self.plugin = try PluginLibrary(library, in: folder).makePlugin(instance: instance, context: context) {
                guard let context = $0, let lines = $1, $2 > 0 else { return }
                Unmanaged<ModuleOutlet>.fromOpaque(context).takeUnretainedValue()
                    .take(UnsafeRawBufferPointer(start: lines, count: $2))
            }
        } catch {
            throw GatewayError(.unavailable, error.description)
        }
    }

    /// Carries lines until the input ends or `shutdown` was answered; blocks.
    /// - Returns: the status to exit with.
    package mutating func run() -> Int32 {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        var status: Int32 = 0
        while !self.outlet.isOver {
            var waits = [
                pollfd(fd: self.wire, events: Int16(POLLIN), revents: 0),
                pollfd(fd: self.bell, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waits, 2, -1) > 0 || errno == EINTR else { break }
            if waits[1].revents != 0 { break }
            guard waits[0].revents != 0 else { continue }
            let count = read(self.wire, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            self.noteShutdown(in: chunk[..<count])
            if self.plugin.receive(self.plugin.`self`, chunk, count) != 0 {
                // One that shuts down takes nothing more either.
                if !self.answersShutdown() { status = Self.failureStatus }
                break
            }
        }
        self.plugin.close(self.plugin.`self`)
        return status
    }

    /// True if `shutdown` was asked for, and is answered before long.
    private func answersShutdown() -> Bool {
        guard self.outlet.isEnding else { return false }
        var bell = pollfd(fd: self.bell, events: Int16(POLLIN), revents: 0)
        return poll(&bell, 1, 5000) > 0
    }

    /// A module does not end by itself: it is closed once it has answered `shutdown`.
    private mutating func noteShutdown(in bytes: ArraySlice<UInt8>) {
        self.line += bytes
        while let end = self.line.firstIndex(of: UInt8(ascii: "\n")) {
            let text = String(decoding: self.line[..<end], as: UTF8.self)
            self.line.removeSubrange(...end)
            guard text.contains("\"shutdown\""), let object = (try? JSONReader.read(text))?.objectValue,
                object.string("method") == "shutdown", let id = object["id"]
            else { continue }
            self.outlet.expectEnd(answering: id)
        }
    }
}

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

    /// - Parameter bell: written to when `shutdown` has been answered.
    init(wire: Int32, bell: Int32) {
        self.wire = wire
        self.bell = bell
    }

    /// True if `shutdown` has been answered.
    var isOver: Bool { self.state.withLock { $0.isOver } }

    /// True if the plugin was asked to end.
    var isEnding: Bool { self.state.withLock { $0.ending != nil } }

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

    /// Errors are ignored: the reader has gone.
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
