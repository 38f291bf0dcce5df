public import CastWire

/// What happened to a session, in the terms of the Cast SDKs' session listeners.
public enum CastSessionChange: Hashable, Sendable {
    /// How an app's launch waits for the consent of the device's user (protocol notes, 5.4).
    public enum Consent: String, Hashable, Sendable, CaseIterable {
        /// The device asks its user.
        case pending
        /// The launch goes on.
        case allowed
        /// The user said no.
        case notAllowed
    }

    /// The change in one of five words, for senders that need no more.
    public enum Word: String, Hashable, Sendable, CaseIterable {
        /// It runs.
        case started
        /// It runs again.
        case resumed
        /// It does not run any more, or is suspended.
        case ended
        /// It could not be started.
        case failedToStart = "failed_to_start"
        /// Media is loaded on a session that was there already.
        case alreadyConnected = "already_connected"
    }

    /// It is about to be started.
    case willStart
    /// The app runs and can be spoken to.
    case didStart
    /// It could not be started.
    case didFailToStart(SessionFailure)
    /// It is about to be resumed.
    case willResume(SessionResumeCause)
    /// The app can be spoken to again.
    case didResume(SessionResumeCause)
    /// It could not be resumed; it ends.
    case didFailToResume(SessionFailure)
    /// It was suspended, and may be resumed.
    case didSuspend(SessionSuspendReason)
    /// It is about to be ended on request.
    case willEnd(SessionEndAction)
    /// It has ended: on request, when there is no failure.
    case didEnd(SessionFailure?)
    /// The launch waits for the consent of the device's user, or got an answer.
    case launchStatus(Consent)
    /// The app's line on what it does has changed.
    case deviceStatus(String)
    /// The device's volume has changed.
    case volume(level: Double?, muted: Bool?)
    /// Whether the screen shows the device has changed; nil when the device does not tell.
    case activeInput(Bool?)
    /// Whether the screen is off has changed; nil when the device does not tell.
    case standby(Bool?)
    /// What the device says of the app has changed: its name, picture, namespaces, or where it is reached.
    case appMetadata
    /// Members of the group came, changed or went; these are the members now.
    case members([MultizoneDevice])
    /// Media is about to be loaded on a session that was there already.
    case alreadyConnected

    /// The change's name on every interface, such as `session.did_start`.
    public var name: String {
        switch self {
        case .willStart: "session.will_start"
        case .didStart: "session.did_start"
        case .didFailToStart: "session.did_fail_to_start"
        case .willResume: "session.will_resume"
        case .didResume: "session.did_resume"
        case .didFailToResume: "session.did_fail_to_resume"
        case .didSuspend: "session.did_suspend"
        case .willEnd: "session.will_end"
        case .didEnd: "session.did_end"
        case .launchStatus: "session.launch_status"
        case .deviceStatus: "session.device_status"
        case .volume: "session.volume"
        case .activeInput: "session.active_input"
        case .standby: "session.standby"
        case .appMetadata: "session.app_metadata"
        case .members: "session.members"
        case .alreadyConnected: "session.already_connected"
        }
    }

    /// The change in one of five words; nil when it is none of them. Being suspended counts as having ended.
    public var word: Word? {
        switch self {
        case .didStart: .started
        case .didResume: .resumed
        case .didEnd, .didSuspend: .ended
        case .didFailToStart: .failedToStart
        case .alreadyConnected: .alreadyConnected
        default: nil
        }
    }
}

/// What happened to the media of a session of Castway's own. Positions in time are not part of it: a
/// subscriber computes them from the status.
public enum CastMediaChange: Hashable, Sendable {
    /// The status: one element of MEDIA_STATUS with all that receivers leave out as unchanged; nil when nothing is loaded.
    case status(JSONObject?)
    /// Another medium, or another description of it: the `media` object; nil when nothing is loaded.
    case metadata(JSONObject?)
    /// A media session began.
    case started(mediaSessionID: Int)
    /// A media session is over; the reason is the receiver's word, nil when it said none. The last is how it was before.
    case ended(mediaSessionID: Int, reason: String?, last: LastPlayback? = nil)
    /// Another item is prepared as the next one.
    case preload(itemID: Int?)
    /// The queue changed; the ids of its items, nil while they are not known, and what happened to them.
    case queue(itemIDs: [Int]?, changes: [CastQueueChange] = [])
    /// Something failed that no request waits for.
    case failed(code: CastErrorCode, reason: String)

    /// The change's name on every interface, such as `media.metadata`.
    public var name: String {
        switch self {
        case .status: "media.session_status"
        case .metadata: "media.metadata"
        case .started: "media.session_started"
        case .ended: "media.session_ended"
        case .preload: "media.preload"
        case .queue: "media.queue"
        case .failed: "media.error"
        }
    }
}
