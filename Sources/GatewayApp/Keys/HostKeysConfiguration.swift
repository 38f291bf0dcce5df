public import GatewayConfig

/// `keys[]`: the keys of a keyboard or a remote control at the gateway's machine, and the device that they are for.
public struct HostKeysConfiguration: ConfigObject, Hashable {
    /// `input`: the event device, or a FIFO that has records of one.
    public var input: String?
    /// `name`: what the kernel calls the event devices that are meant; nil where `input` says which it is.
    public var inputName: Glob?
    /// `device`: the device, as callers name it.
    public var device = ""
    /// `step`: by how much one press of a volume key changes the volume.
    public var step = 0.05

    /// The keys of `keys[]`.
    public static let keys: [Key] = [
        .optional(
            "input", \.input, .path, "The event device, or a FIFO that a program of yours writes records to",
            example: "/dev/input/event3"),
        .optional(
            "name", \.inputName, .glob,
            "What the kernel calls the event devices that are meant, as `/proc/bus/input/devices` has it: this or `input`",
            example: "\"*Consumer Control\""),
        .required(
            "device", \.device, .text(maximumBytes: 200), "The device, virtual or real, as callers name it",
            example: "living-room"),
        Key("step", \.step, .number(0.005...0.5), "By how much one press of a volume key changes the volume"),
    ]

    /// What holds before anything is read.
    public init(blank: ConfigBlank) {}

    /// Names keys and the device that they are for.
    public init(input: String? = nil, name: Glob? = nil, device: String, step: Double = 0.05) {
        self.input = input
        self.inputName = name
        self.device = device
        self.step = step
    }

    /// Adds keys of nowhere, and those of two places.
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        let written = ["input", "name"].filter(section.isWritten)
        guard written.count != 1 else { return }
        problems.add(
            written.isEmpty ? .missingKey : .inconsistent, at: section.location,
            "exactly one of 'input' and 'name' is wanted", hint: "write one list element for each place")
    }
}
