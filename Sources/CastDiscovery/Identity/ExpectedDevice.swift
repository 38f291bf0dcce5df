/// Which device is meant by a name of the gateway's: its id, which it keeps whatever its address.
public struct ExpectedDevice: Sendable, Hashable {
    /// The id under which it announces itself.
    public let id: DeviceID
    /// Whether it is a speaker group; nil while that is not known. A group shares its address with the device that leads it, which
    /// may answer with an id of its own.
    public let isGroup: Bool?

    /// Makes an identity.
    public init(id: DeviceID, isGroup: Bool? = nil) {
        self.id = id
        self.isGroup = isGroup
    }
}

/// What a device answered when it was asked which one it is.
public enum IdentityOutcome: Hashable, Sendable {
    /// It is the one that is meant.
    case confirmed
    /// It is another one.
    case other(DeviceID)
    /// A group is meant, one with members answers, and gives the id of the device that leads it.
    case leader(DeviceID)
    /// It does not say, though it answers other questions.
    case silent
}

extension IdentityOutcome {
    /// Why the one that answers is not to be used; nil when it is.
    /// - Parameters:
    ///   - expected: the device that is meant.
    ///   - hasConfirmed: whether it has said before that it is the one.
    package func refusal(of expected: ExpectedDevice, hasConfirmed: Bool) -> String? {
        switch self {
        case .confirmed, .leader: nil
        case .other(let id): "another device answers there: its id is \(id), not \(expected.id)"
        case .silent: hasConfirmed ? "the device there does not say any more which one it is" : nil
        }
    }
}

extension ExpectedDevice {
    /// The identity of a device that goes by its id, as devices write it: 32 hexadecimal digits, with or without dashes; nil for any
    /// other name.
    package init?(name: String) {
        guard let id = DeviceID(name), id.text.utf8.count == 32, id.text.allSatisfy(\.isHexDigit) else { return nil }
        self.init(id: id)
    }
}
