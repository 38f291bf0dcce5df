import CastClient
import CastWire
import FeatureContract
import GatewayConfig
import GatewayOperations
import GatewaySettings
import MediaCatalogues

/// `queue.insert`
struct InsertQueueItems: MediaOperation {
    struct Input: DeviceInput, RuledInput {
        var device = DeviceReference("")
        var items: JSONValue = .array([])
        var before: Int?
        var playing: Int?
        var position: Double?
        var customData: JSONValue?

        static let keys: [Key] = [
            .device(\.device),
            .required(
                "items", \.items, .json,
                "The items: each with `media`, or `catalogue` and `item`, and `autoplay`, `startTime`, `preloadTime` if wanted",
                example: "[{\"media\": {\"contentUrl\": \"http://192.0.2.9/b.mp4\", \"contentType\": \"video/mp4\"}}]"),
            .optional("before", \.before, .itemID, "The item that they go before; without it they go to the end"),
            .optional(
                "playing", \.playing, .integer(0...10_000),
                "Which of them is played at once, from 0; without it what plays goes on"),
            .optional("position", \.position, .number(0...1e9), "Where that one starts, in seconds"),
            .customData(\.customData),
        ]

        static let rules: [InputRule] = [.lists(["items"]), .needs("position", "playing")]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "queue.insert"
    static let route = OperationRoute(.post, "/devices/{device}/queue/items")
    static let summary = "Adds items to the queue"
    static let details =
        "When nothing is loaded, and no item is to be played at once, a new queue is made of them." + " "
        + Self.sessionStays

    static let problems = DeviceProblem.media + CatalogueMedia.problems

    let controls: DeviceControls

    func command(_ input: Input) throws(OperationProblem) -> MediaCommand {
        let preferences = self.controls.context.configuration.current.media
        let wanted = try self.controls.catalogue.items(input.items.arrayValue ?? [])
        let items = preferences.applied(to: QueueInput.items(.array(wanted)))
        let command: MediaCommand =
            if input.playing == nil {
                .enqueue(items, before: input.before)
            } else {
                .insert(items, before: input.before, playing: input.playing, at: input.position)
            }
        return command.with(input.customData)
    }
}

/// `queue.remove`
struct RemoveQueueItems: MediaOperation {
    struct Input: DeviceInput {
        var device = DeviceReference("")
        var items: [Int] = []
        var playing: Int?
        var customData: JSONValue?

        static let keys: [Key] = [
            .device(\.device),
            .required("items", \.items, .list(of: .itemID), "The ids of the items", example: "[3, 4]"),
            .optional(
                "playing", \.playing, .itemID, "The item to go to when the one that plays is removed; else the next one"
            ),
            .customData(\.customData),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "queue.remove"
    static let route = OperationRoute(.delete, "/devices/{device}/queue/items")
    static let summary = "Removes items from the queue"
    static let details = "A queue without items ends what plays." + " " + Self.sessionStays

    let controls: DeviceControls

    func command(_ input: Input) -> MediaCommand {
        .remove(input.items, thenPlaying: input.playing).with(input.customData)
    }
}

/// `queue.move`
struct MoveQueueItems: MediaOperation {
    struct Input: DeviceInput {
        var device = DeviceReference("")
        var items: [Int] = []
        var before: Int?
        var customData: JSONValue?

        static let keys: [Key] = [
            .device(\.device),
            .required(
                "items", \.items, .list(of: .itemID), "The ids of the items, in their new order", example: "[4, 3]"),
            .optional("before", \.before, .itemID, "The item that they go before; without it they go to the end"),
            .customData(\.customData),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "queue.move"
    static let route = OperationRoute(.post, "/devices/{device}/queue/move")
    static let summary = "Moves items of the queue"

    let controls: DeviceControls

    func command(_ input: Input) -> MediaCommand {
        .reorder(input.items, before: input.before).with(input.customData)
    }
}

/// `queue.update`
struct UpdateQueueItems: MediaOperation {
    struct Input: DeviceInput, RuledInput {
        var device = DeviceReference("")
        var items: JSONValue = .array([])
        var customData: JSONValue?

        static let keys: [Key] = [
            .device(\.device),
            .required(
                "items", \.items, .json, "What is changed of each item, with its `itemId`",
                example: "[{\"itemId\": 3, \"preloadTime\": 10}]"),
            .customData(\.customData),
        ]

        static let rules: [InputRule] = [.lists(["items"])]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "queue.update"
    static let route = OperationRoute(.patch, "/devices/{device}/queue/items")
    static let summary = "Changes items of the queue"

    let controls: DeviceControls

    func command(_ input: Input) -> MediaCommand {
        MediaCommand.update(QueueInput.items(input.items)).with(input.customData)
    }
}

/// `queue.jump`
struct JumpInQueue: MediaOperation {
    struct Input: DeviceInput, RuledInput {
        var device = DeviceReference("")
        var item: Int?
        var by: Int?
        var position: Double?
        var customData: JSONValue?

        static let keys: [Key] = [
            .device(\.device),
            .optional("item", \.item, .itemID, "The id of the item", example: "3"),
            .optional("by", \.by, .integer(-10_000...10_000), "How many items forward, or back below zero"),
            .optional("position", \.position, .number(0...1e9), "Where it starts, in seconds; with `item` only"),
            .customData(\.customData),
        ]

        static let rules: [InputRule] = [.one(of: ["item", "by"]), .needs("position", "item")]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "queue.jump"
    static let route = OperationRoute(.post, "/devices/{device}/queue/jump")
    static let summary = "Plays another item of the queue"

    let controls: DeviceControls

    func command(_ input: Input) -> MediaCommand {
        let command: MediaCommand =
            if let item = input.item { .jump(to: item, at: input.position) } else { .jump(by: input.by ?? 0) }
        return command.with(input.customData)
    }
}

/// `queue.next`
struct NextQueueItem: MediaOperation {
    typealias Input = MediaInput

    static let name: OperationName = "queue.next"
    static let route = OperationRoute(.post, "/devices/{device}/queue/next")
    static let summary = "Plays the next item of the queue"

    let controls: DeviceControls

    func command(_ input: MediaInput) -> MediaCommand { .next().with(input.customData) }
}

/// `queue.previous`
struct PreviousQueueItem: MediaOperation {
    typealias Input = MediaInput

    static let name: OperationName = "queue.previous"
    static let route = OperationRoute(.post, "/devices/{device}/queue/previous")
    static let summary = "Plays the item of the queue before this one"

    let controls: DeviceControls

    func command(_ input: MediaInput) -> MediaCommand { .previous().with(input.customData) }
}

/// `queue.repeat`
struct SetRepeatMode: MediaOperation {
    struct Input: DeviceInput {
        var device = DeviceReference("")
        var mode = RepeatWord.off
        var customData: JSONValue?

        static let keys: [Key] = [
            .device(\.device),
            .required("mode", \.mode, .word, "What follows the end of an item", example: "all"),
            .customData(\.customData),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "queue.repeat"
    static let route = OperationRoute(.put, "/devices/{device}/queue/repeat")
    static let summary = "Sets what follows the end of a queue item"

    let controls: DeviceControls

    func command(_ input: Input) -> MediaCommand { .setRepeatMode(input.mode.mode).with(input.customData) }
}

/// `queue.shuffle`
struct ShuffleQueue: MediaOperation {
    struct Input: DeviceInput {
        var device = DeviceReference("")
        var isShuffled = true
        var customData: JSONValue?

        static let keys: [Key] = [
            .device(\.device),
            Key("shuffled", \.isShuffled, .boolean, "Whether the items are shuffled, or put back in order"),
            .customData(\.customData),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "queue.shuffle"
    static let route = OperationRoute(.put, "/devices/{device}/queue/shuffle")
    static let summary = "Shuffles the queue, or puts it back in order"

    let controls: DeviceControls

    func command(_ input: Input) -> MediaCommand { .setShuffled(input.isShuffled).with(input.customData) }
}

/// Queue items as callers write them.
private enum QueueInput {
    static func items(_ json: JSONValue) -> [QueueItem] {
        (json.arrayValue ?? []).compactMap(\.objectValue).map { QueueItem(json: $0) }
    }
}

extension ConfigType where Value == Int {
    static var itemID: ConfigType { .integer(0...Int.max) }
}
