/// Something that happens at a virtual device itself, with no sender that asks for it: what a viewer, the screen or the network do to a
/// device, for tests of senders and handlers.
public enum SimulatedEvent: Sendable, Hashable {
    /// A key of the device's remote control is pressed.
    case key(RemoteKey)
    /// The screen goes to standby, which ends the app, or comes back (`isStandBy`, protocol notes, 5.2).
    case standby(Bool)
    /// The screen shows this device, or another input (`isActiveInput`, protocol notes, 5.2).
    case activeInput(Bool)
    /// The screen shows so many pixels at most from now on.
    case maximumResolution(width: Int, height: Int)
    /// A viewer begins to write feedback.
    case feedback
    /// The app changes what it says of itself (`statusText`); an empty text is its own one.
    case statusText(String)
    /// The app fails in a way that it cannot go on after, and ends.
    case fatalError
    /// What plays has come to its end.
    case endOfItem
    /// What plays or loads fails (ERROR or LOAD_FAILED, protocol notes, 6.9): with a reason, and a number as in 6.10.
    case failure(reason: String?, detailedErrorCode: Int)
    /// What plays stops for want of data, for so long.
    case buffering(Duration)
}

/// A key of the remote control of a television.
public enum RemoteKey: String, Sendable, CaseIterable {
    case play, pause
    case playPause = "play_pause"
    case stop, next, previous, rewind
    case fastForward = "fast_forward"
    case volumeUp = "volume_up"
    case volumeDown = "volume_down"
    case mute
    /// Leaves the app.
    case home
}

/// What became of a ``SimulatedEvent``.
public enum SimulationOutcome: Sendable, Hashable, CaseIterable {
    /// It happened, and the senders were told what it changed.
    case done
    /// A real device stands behind the virtual one, so that only it can do this.
    case notBuiltIn
    /// No app runs.
    case noApp
    /// Nothing is loaded, or what is loaded cannot do this now.
    case noMedia
    /// The device has no screen.
    case noScreen
}
