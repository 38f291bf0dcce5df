import CastWire

/// What a watcher has seen of a device, to tell changes from repetitions.
struct StatusView {
    private var volume: ReceiverVolume?
    private var application: ReceiverApplication?
    private var media: MediaStatus?
    private var lastLine: String?

    /// Whether this is another app session than the one before.
    func isNew(_ application: ReceiverApplication?) -> Bool {
        application?.transportID != self.application?.transportID
    }

    /// Takes a status of the device; gives a line when people see a difference.
    mutating func changed(status: ReceiverStatus?) -> String? {
        let application = status?.applications.first
        if self.isNew(application) { self.media = nil }
        self.volume = status?.volume ?? self.volume
        self.application = application
        return self.nextLine()
    }

    /// Takes a status of the media; an unchanged part that it leaves out is kept.
    mutating func changed(media: MediaStatus?) -> String? {
        var media = media
        if media?.media == nil, media?.mediaSessionID == self.media?.mediaSessionID {
            media?.media = self.media?.media
        }
        self.media = media
        return self.nextLine()
    }

    private mutating func nextLine() -> String? {
        let line = self.line
        guard line != self.lastLine else { return nil }
        self.lastLine = line
        return line
    }

    private var line: String {
        var parts = [self.volume.map(StatusBlock.text).map { "volume \($0)" }]
        parts.append(self.application.map { $0.displayName ?? $0.appID?.rawValue ?? "an app" } ?? "no app")
        if let media {
            parts.append(StatusBlock.state(media))
            parts.append(media.media?.metadata?.title ?? media.media?.playableURL)
        }
        return parts.compactMap(\.self).joined(separator: " · ").printable
    }
}
