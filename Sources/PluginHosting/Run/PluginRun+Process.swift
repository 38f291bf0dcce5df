import GatewayCore
import Glibc
import Logging
import NIOCore
import NIOPosix
import PluginKit
import Synchronization

/// The plugin as a process of its own, under the launcher.
extension PluginRun {
    /// Runs the process.
    /// - Returns: how it ended.
    func runAsProcess() async -> PluginEnd {
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
            self.opened(process)
            let failure = await self.guardProcess(process, launch)
            await process.finish()
            if let failure { return .failed(failure) }
        } catch {
            return .failed("\(error)")
        }
        return self.end ?? .failed("its launcher ended without a word")
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
                    await self.untilCancelled()
                    return nil
                }
            }
            let failure = await group.next() ?? nil
            group.cancelAll()
            return failure
        }
    }

    /// Waits until the task is cancelled.
    func untilCancelled() async {
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

    /// How another user could change the files that are to run; nil when none can.
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
