/// What keys want of a device, in their order, while it is busy with what they wanted before.
///
/// A device takes a moment for each change, and a key that is held comes thirty times a second: changes of the volume that follow one
/// another become one, two presses of mute are none, and of anything else a few wait.
struct KeyPresses {
    /// What is asked of a device.
    enum Wish: Sendable, Hashable {
        /// So much louder; quieter below zero. From -1 to 1.
        case volume(by: Double)
        /// The sound off where it is on, and on where it is off.
        case mute
        /// Another key's, which is none of the volume.
        case media(HostKey)
    }

    /// How many wishes wait at most; what comes beyond is lost, as at a television that has much to do.
    static let limit = 8

    private let step: Double
    private var waiting: [Wish] = []

    /// - Parameter step: by how much a press changes the volume, above 0 to 1.
    init(step: Double) {
        self.step = step
    }

    /// A key was pressed, or held.
    mutating func press(_ key: HostKey) {
        switch key {
        case .volumeUp: self.change(by: self.step)
        case .volumeDown: self.change(by: -self.step)
        case .mute:
            if self.waiting.last == .mute { self.waiting.removeLast() } else { self.add(.mute) }
        case .play, .pause, .playOrPause, .stop, .next, .previous: self.add(.media(key))
        }
    }

    /// The next wish, which then waits no more; nil when there is none.
    mutating func next() -> Wish? { self.waiting.isEmpty ? nil : self.waiting.removeFirst() }

    private mutating func change(by amount: Double) {
        guard case .volume(let before)? = self.waiting.last else { return self.add(.volume(by: amount)) }
        let sum = min(1, max(-1, before + amount))
        self.waiting.removeLast()
        // Steps up and down that make none, but for the error of the sum.
        if abs(sum) > self.step / 1000 { self.waiting.append(.volume(by: sum)) }
    }

    private mutating func add(_ wish: Wish) {
        if self.waiting.count < Self.limit { self.waiting.append(wish) }
    }
}
