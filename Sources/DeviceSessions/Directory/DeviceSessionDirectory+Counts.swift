public import GatewayCore
public import MediaRelay
import NIOCore
import SystemPrimitives

/// What is counted over all devices.
extension DeviceSessionDirectory {
    /// How the devices and their sessions stand.
    public struct Census: Sendable, Hashable {
        /// Devices with an open channel.
        public var online = 0
        /// Devices whose address is known, and that do not answer.
        public var offline = 0
        /// Devices of which no address is known.
        public var unknown = 0
        /// The gateway's own sessions by their state.
        public var sessions: [SessionConnectionState: Int] = [:]
        /// How many event loops did not answer in time; what lives there is missing.
        public var silentLoops = 0
    }

    /// How the links to all devices fared since the gateway began.
    public var linkCounts: LinkCounts { self.online.counter.counts }

    /// How many streams of mirroring senders pass now, how many have ended, and what of all of them passed and did not.
    public var streamCounts: (open: Int, ended: UInt64, counts: MediaCounts) {
        (self.media.count, self.media.endedCount, self.media.counts)
    }

    /// Asks how everything stands.
    /// - Parameter limit: how long event loops have to answer.
    public func census(within limit: Duration) async -> Census {
        let entries = Dictionary(grouping: self.allEntries) { ObjectIdentifier($0.eventLoop) }
        let survey = await LoopSurvey(of: entries.values.map { $0[0].eventLoop }, within: limit) { eventLoop in
            var census = Census()
            for entry in entries[ObjectIdentifier(eventLoop)] ?? [] {
                let session = entry.session.value
                if session.link.isOnline {
                    census.online += 1
                } else if session.link.isUnresolved {
                    census.unknown += 1
                } else {
                    census.offline += 1
                }
                if let host = session.platform.session { census.sessions[host.facts.state, default: 0] += 1 }
            }
            return census
        }
        var whole = Census()
        for census in survey.answers {
            whole.online += census.online
            whole.offline += census.offline
            whole.unknown += census.unknown
            whole.sessions.merge(census.sessions, uniquingKeysWith: +)
        }
        whole.silentLoops = survey.silentCount
        return whole
    }
}
