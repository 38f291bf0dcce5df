package import CastWire
package import GatewayConfig
import SystemPrimitives

/// `media`: what loads and queues of operations have when the caller says nothing else.
package struct MediaPreferences: ConfigSettings {
    /// `preload_time`: how long before its start an item of a queue is prepared; nil leaves it to the app.
    package var preloadTime: Duration?
    /// `text_style`: how text of tracks is shown; nil leaves it to the device.
    package var textStyle: TextStyleInput?
    /// `check`: how `media.check` asks servers.
    package var check = MediaCheckConfiguration()

    /// The keys of `media`.
    package static let keys: [Key] = [
        .optional(
            "preload_time", \.preloadTime, .duration(.zero ... .seconds(3600)),
            "How long before its start an item of a queue is prepared, where neither the caller nor the item says so; without it the app decides",
            example: "20s"),
        .optional(
            "text_style", \.textStyle, .object,
            "How text of tracks is shown, where neither the caller nor the medium says so; without it the device decides",
            example: "{font_scale: 1.2, foreground_color: \"#FFFF00FF\"}"),
        Key("check", \.check, .object, "How `media.check` asks the servers of media"),
    ]

    /// Makes preferences that leave everything to the app.
    package init() {}

    /// A medium with the style, unless it has one.
    package func applied(to medium: MediaInformation) -> MediaInformation {
        guard let style = self.textStyle, medium.textTrackStyle == nil else { return medium }
        var medium = medium
        medium.textTrackStyle = style.style
        return medium
    }

    /// Items of a queue with what they do not say themselves.
    package func applied(to items: [QueueItem]) -> [QueueItem] {
        items.map { item in
            var item = item
            if let time = self.preloadTime, item.preloadTime == nil { item.preloadTime = time.inSeconds }
            if let medium = item.media { item.media = self.applied(to: medium) }
            return item
        }
    }

    /// A load with what it does not say itself.
    package func applied(to load: LoadRequest) -> LoadRequest {
        var load = load
        if let medium = load.media { load.media = self.applied(to: medium) }
        if let items = load.queueData?.items { load.queueData?.items = self.applied(to: items) }
        return load
    }
}
