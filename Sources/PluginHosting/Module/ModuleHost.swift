import CPluginModule
import CastWire
public import GatewayCore
import Glibc

/// Runs a library's plugin as if it were a program: in this process, with its lines on standard input and output. So what a program
/// is tried out with is good for libraries too, and a crash is the crash of this process alone.
public struct ModuleHost {
    /// The exit status of one whose library cannot be used, or says that it is beyond use.
    public static let failureStatus: Int32 = 70

    private let plugin: cw_plugin
    private let outlet: ModuleOutlet
    private let wire: Int32
    private let bell: Int32
    /// What has come since the last newline.
    private var line: [UInt8] = []

    /// Loads a library from a folder, and opens its plugin. What prints goes to standard error from here on.
    /// - Throws: ``GatewayError`` that says what is wrong with the library.
    public init(library: String, in folder: String, instance: String) throws(GatewayError) {
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
            // Stays as long as the process: a module that speaks behind its end must find somebody.
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
    public mutating func run() -> Int32 {
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

    /// Whether `shutdown` was asked for, and is answered before long.
    private func answersShutdown() -> Bool {
        guard self.outlet.isEnding else { return false }
        var bell = pollfd(fd: self.bell, events: Int16(POLLIN), revents: 0)
        return poll(&bell, 1, 5000) > 0
    }

    /// A module does not end by itself: whoever asked it to shut down closes it once it has answered.
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
