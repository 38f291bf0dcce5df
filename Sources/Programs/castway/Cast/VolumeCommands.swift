import ArgumentParser
import CastClient
import CastWire
import DeviceSessions

struct VolumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "volume", "Sets the device's volume, or changes it.", arguments: "<level>",
        """
        A number above 1 is percent, one below 1 is a fraction: 40, 40% and 0.4 are the same. With a sign the volume \
        is changed by so much: +5 and +5% make it five percent louder. A bare 1 could be one percent or all of it, so \
        it is refused: write 1% or 100%.

        The words up and down change it by one step of the device, as its remote control does.

        A device whose volume is fixed, as its amplifier or television controls it, refuses.
        """,
        examples: [
            "castway cast hall.lan volume up", "castway cast hall.lan volume 40%", "castway cast hall.lan volume 0.4",
            "castway cast hall.lan volume +5", "castway cast hall.lan volume -10%",
        ])

    @OptionGroup var target: CastTarget

    @Argument(
        parsing: .allUnrecognized,
        help: .init("0% to 100%, 40, 0.4; with + or - by how much; up, down.", valueName: "level"),
        transform: VolumeArgument.init)
    var levels: [VolumeArgument]

    func validate() throws {
        if self.levels.count != 1 { throw ValidationError("One volume is needed, such as 40%, 0.4, +5% or -10%.") }
    }

    func run() async throws {
        guard let wish = self.levels.first else { return }
        try await self.target.changeVolume { volume in
            guard let level = wish.level(from: volume?.level, step: SessionTraits(volume).volumeIncrement) else {
                throw CommandFailure(.refused, "the device does not tell its volume, so it cannot be changed by a part")
            }
            return ReceiverVolume(level: level)
        }
    }
}

struct MuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "mute", "Switches the sound off.", arguments: "[--toggle]", "A device whose volume is fixed refuses.")

    @OptionGroup var target: CastTarget
    @Flag(help: "Switches it on where it is off.") var toggle = false

    func run() async throws {
        try await self.target.changeVolume { ReceiverVolume(muted: !self.toggle || $0?.muted != true) }
    }
}

struct UnmuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "unmute", "Switches the sound on.", "A device whose volume is fixed refuses.")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.changeVolume { _ in ReceiverVolume(muted: false) }
    }
}

struct StreamVolumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "stream-volume", "Sets the volume of the media alone, beside the device's, or changes it.",
        arguments: "<level>", "The level is written as for the command volume: 40%, 40, 0.4, +5%, -10.")

    @OptionGroup var target: CastTarget

    @Argument(
        parsing: .allUnrecognized, help: .init("0% to 100%, 40, 0.4; with + or - by how much.", valueName: "level"),
        transform: VolumeArgument.init)
    var levels: [VolumeArgument]

    func validate() throws {
        if self.levels.count != 1 { throw ValidationError("One volume is needed, such as 40%, 0.4, +5% or -10%.") }
    }

    func run() async throws {
        guard let wish = self.levels.first else { return }
        try await self.target.withMediaApp { media in
            let volume = try await media.refresh().streamVolume
            guard let level = wish.level(from: volume?.level) else {
                throw CommandFailure(
                    .refused, "the app does not tell the volume of its media, so it cannot be changed by a part")
            }
            return try await media.perform(.setStreamVolume(level))
        }
    }
}

extension CastTarget {
    /// Changes the device's volume and prints the status afterwards.
    /// - Parameter change: what to ask for, from the volume now; nil when the device does not tell it.
    /// - Throws: ``CommandFailure`` for a device whose volume is fixed, which takes the request and changes nothing.
    func changeVolume(_ change: (ReceiverVolume?) throws -> ReceiverVolume) async throws {
        try await self.withDevice { device in
            let volume = try await device.status().status?.volume
            if volume?.controlType == .fixed {
                throw CommandFailure(
                    .refused, "the volume of this device is fixed: change it at the amplifier or television behind it")
            }
            self.show(try await device.setVolume(try change(volume)))
        }
    }
}

/// A volume on the command line: a level such as `40%`, `40` or `0.4`, or a change such as `+5%`, `-5` or `-0.1`.
///
/// A bare number above 1 is percent, one below 1 is a fraction. A bare `1` could be both, so it has to be written `1%`,
/// `1.0` or `100%`.
enum VolumeArgument: Hashable, Sendable {
    /// The level itself, from 0 to 1.
    case level(Double)
    /// What is added to the level, from -1 to 1.
    case change(Double)
    /// How many steps are added to the level.
    case steps(Double)

    /// Reads what a user wrote.
    /// - Throws: `ValidationError` that says what is wrong with it.
    init(_ text: String) throws {
        try UnknownOption.check(text)
        if let steps = ["up": 1.0, "down": -1][text] {
            self = .steps(steps)
            return
        }
        let isChange = text.hasPrefix("+") || text.hasPrefix("-")
        let digits = isChange ? text.dropFirst() : text[...]
        let isPercent = digits.hasSuffix("%")
        let number = isPercent ? digits.dropLast() : digits
        guard let first = number.first, first.isASCII, first.isNumber || first == ".",
            number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(number)
        else {
            throw ValidationError(
                "A volume is written 40%, 40 or 0.4, and a change +5%, -5, -0.1, up or down; not '\(text)'.")
        }
        let sign = isChange ? String(text.prefix(1)) : ""
        if !isPercent, value == 1, !number.contains(".") {
            throw ValidationError("'\(text)' could be 1 % or 100 %: write \(sign)1% or \(sign)100%.")
        }
        let level = isPercent || value > 1 ? value / 100 : value
        guard level <= 1 else { throw ValidationError("'\(text)' is more than 100 %.") }
        self = isChange ? .change(text.hasPrefix("-") ? -level : level) : .level(level)
    }

    /// The level to set; never below 0 or above 1.
    /// - Parameters:
    ///   - current: the level now; nil when it is not known.
    ///   - step: how much one step is.
    /// - Returns: nil for a change of a level that is not known.
    func level(from current: Double?, step: Double = 0.05) -> Double? {
        let change: Double
        switch self {
        case .level(let level): return level
        case .change(let amount): change = amount
        case .steps(let count): change = count * step
        }
        // Levels are told with single precision; a sum of two of them is not to show more digits than they have.
        return current.map { (min(max($0 + change, 0), 1) * 10_000).rounded() / 10_000 }
    }
}
