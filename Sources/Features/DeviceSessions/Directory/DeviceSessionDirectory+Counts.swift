package import GatewayCore
package import MediaRelay
import NIOCore
import SystemPrimitives

/// Counts over all devices.
extension DeviceSessionDirectory {
    /// A count of the devices and their sessions.
    package struct Census: Sendable, Hashable {
        /// Devices with an open channel.
        package var online = 0
        /// Devices whose address is known, and that do not answer.
        package var offline = 0
        /// Devices of which no address is known.
        package var unknown = 0
        /// The gateway's own sessions by their state.
        package var sessions: [SessionConnectionState: Int] = [:]
        /// The number of event loops that did not answer in time; what lives there is missing.
        package var silentLoops = 0
    }

    /// The counts of the links to all devices since the gateway began.
    package var linkCounts: LinkCounts { self.online.counter.counts }

    /// The number of open streams of mirroring senders, of those that have ended, and what of all of them passed and
    /// did not.
    package var streamCounts: (open: Int, ended: UInt64, counts: MediaCounts) {
        (self.media.count, self.media.endedCount, self.media.counts)
    }

    /// Counts the devices and their sessions.
    /// - Parameter limit: how long event loops have to answer.
    package func census(within limit: Duration) async -> Census {
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
