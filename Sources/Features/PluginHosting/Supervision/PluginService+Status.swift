import GatewayCore
import Glibc
import NIOCore
import PluginKit
import Synchronization

extension PluginService {
    package func status() async -> PluginStatus {
        let state = self.state.withLock { $0 }
        guard let connection = state.run?.connection else { return self.status(state, PluginCounts(), inFlight: 0) }
        let told = await connection.told(of: self.name)
        return self.status(state, told?.counts ?? PluginCounts(), inFlight: told?.inFlight ?? 0)
    }

    /// The plugin as it stands; nil when its event loop does not say what was counted in time.
    package func status(within limit: Duration) async -> PluginStatus? {
        let state = self.state.withLock { $0 }
        guard let connection = state.run?.connection else { return self.status(state, PluginCounts(), inFlight: 0) }
        guard let told = await connection.counts(within: limit) else { return nil }
        return self.status(state, told.counts, inFlight: told.inFlight)
    }

    /// - Parameter current: what was counted on the connection that there is now.
    private func status(_ state: State, _ current: PluginCounts, inFlight: Int) -> PluginStatus {
        let facts = state.run?.facts
        var counts = state.counts
        counts.add(current)
        return PluginStatus(
            instance: state.instance, state: state.machine.state, reason: state.machine.reason, result: facts?.result,
            claims: state.handler.shownClaims, processID: facts?.processID,
            residentBytes: facts?.processID.flatMap(Self.residentBytes),
            readyFor: state.readySince.map { .nanoseconds((NIODeadline.now() - $0).nanoseconds) },
            restartCount: state.machine.restartCount, restarts: state.machine.restarts, inFlight: inFlight,
            counts: counts, unenforced: facts?.unenforced ?? [], lines: self.log.lastLines)
    }

    /// The memory of a process by proc(5), `statm`; nil when it is gone.
    private static func residentBytes(_ process: Int32) -> Int? {
        guard let file = fopen("/proc/\(process)/statm", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: Character(" "))
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}

extension PluginHandler {
    /// The claims, as plugins write them.
    var shownClaims: [PluginClaim] { self.claims.map(PluginClaim.init) }
}
