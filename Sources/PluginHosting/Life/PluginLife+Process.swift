import GatewayCore
import Glibc
import Logging
import NIOCore
import NIOPosix
import PluginKit
import Synchronization

extension PluginLife {
    /// Runs the plugin as a process of its own.
    func liveAsProcess() async -> PluginEnd {
        guard
            let launch = PluginLaunch(
                self.instance, stateDirectory: self.stateDirectory,
                isExecutable: { access($0, X_OK) == 0 && !Self.isFolder($0) })
        else {
            let program = self.instance.manifest.command?.first ?? ""
            return .failed("the program '\(program)' of the plugin is not there, or cannot be executed")
        }
        if let fault = await self.fileFault() { return .unusable(fault) }
        guard Self.makeFolder(self.stateDirectory) else {
            return .failed("the folder \(self.stateDirectory) cannot be made")
        }
        do {
            let process = try await PluginProcess.prepare(
                on: self.eventLoop, environment: launch.environmentBlock, makeWire: { self.makeWireHandler() },
                onReport: { self.take($0) }, onDiagnostics: { self.log.take($0) })
            self.state.withLock { $0.process = process }
            let failure = await self.guardProcess(process, launch)
            await process.finish()
            if let failure { return .failed(failure) }
        } catch {
            return .failed("\(error)")
        }
        return self.state.withLock { $0.failure ?? $0.end ?? .failed("its launcher ended without a word") }
    }

    private func guardProcess(_ process: PluginProcess, _ launch: PluginLaunch) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            group.addTask {
                do {
                    try await process.run(launcher: self.context.launcher, launch)
                    return nil
                } catch {
                    return "\(error)"
                }
            }
            if let connection = self.connection {
                group.addTask {
                    await self.converse(connection)
                    // The process decides when it is over.
                    _ = await self.hasBeenCancelled()
                    return nil
                }
            }
            let failure = await group.next() ?? nil
            group.cancelAll()
            return failure
        }
    }

    /// Waits until the task is cancelled.
    func hasBeenCancelled() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            continuation.finish()
        }
    }

    /// Makes the gateway's end of the wire; on the event loop.
    func makeWireHandler() -> any ChannelHandler {
        PluginChannelHandler(self.makeWire())
    }

    /// Makes the wire; on the event loop.
    func makeWire() -> PluginWire {
        let wire = PluginWire(bounds: self.bounds, eventLoop: self.eventLoop)
        wire.observer = self
        let connection = PluginConnection(wire, numbers: self.context.numbers)
        self.state.withLock { $0.connection = connection }
        return wire
    }

    private func take(_ report: LauncherReport) {
        switch report {
        case .started(let id):
            self.state.withLock { $0.processID = id }
            self.logger.info("Plugin started", metadata: ["pid": .stringConvertible(id)])
        case .exited(let code): self.state.withLock { $0.end = .exited(code) }
        case .signalled(let number):
            self.state.withLock { state in if state.end == nil { state.end = .signalled(number) } }
        case .failed(let reason): self.state.withLock { $0.end = .failed("it cannot be started: \(reason)") }
        case .killed(let reason): self.state.withLock { $0.end = .failed("it was killed: \(reason)") }
        case .full(let reason):
            let advice = "see 'resources.state', make room in \(self.stateDirectory), and restart the plugin"
            self.state.withLock { $0.failure = .unusable("its state folder is too full: \(reason); \(advice)") }
        case .unenforced(let what, let reason):
            self.state.withLock { $0.unenforced.append("\(what): \(reason)") }
            self.logger.warning("A limit cannot be enforced", metadata: ["what": "\(what)", "reason": "\(reason)"])
        case .enforced, .gone: break
        }
    }

    /// Who else could change what is to run; nil when no other user can.
    private func fileFault() async -> String? {
        let instance = self.instance
        return try? await NIOThreadPool.singleton.runIfActive {
            PluginFileRights.fault(of: instance.folder, command: instance.manifest.command)
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Makes a folder, and the one that it lies in, for this user alone.
    static func makeFolder(_ path: String) -> Bool {
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        for folder in [parent, path] where mkdir(folder, 0o700) != 0 && errno != EEXIST { return false }
        return self.isFolder(path)
    }
}
