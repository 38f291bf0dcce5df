/// What a picture of a medium is wanted for, and how large: which of its pictures that is.
///
/// As the pickers of the Cast SDKs do: without a size the first picture serves every use but the background, which has the largest, or the
/// second where the medium tells no sizes. With a size it is the smallest picture that covers it, else the largest.
public struct PictureChoice: Hashable, Sendable {
    /// Where a picture is shown.
    public enum Use: String, CaseIterable, Sendable {
        /// In a place of the caller's own.
        case custom
        /// In the dialog in which devices are chosen and sessions ended.
        case castDialog = "cast_dialog"
        /// In the small controller at the edge of a screen.
        case miniController = "mini_controller"
        /// Behind everything, as on the expanded controller.
        case background
        /// On the expanded controller; the same as ``background``.
        case expanded

        fileprivate var wantsLarge: Bool { self == .background || self == .expanded }
    }

    /// Where it is shown.
    public var use: Use
    /// How wide the place is, in pixels; nil, or 0 and below, when that makes no difference.
    public var width: Int?
    /// How high the place is, in pixels; nil, or 0 and below, when that makes no difference.
    public var height: Int?

    /// Says what is wanted.
    public init(for use: Use = .custom, width: Int? = nil, height: Int? = nil) {
        self.use = use
        self.width = width.flatMap { $0 > 0 ? $0 : nil }
        self.height = height.flatMap { $0 > 0 ? $0 : nil }
    }

    /// The index of the picture that fits best; nil when there is none with an address.
    ///
    /// Of several that fit equally well it is the first. A picture without an address is never chosen, one without its size only where
    /// no picture has one, or where no size is wanted.
    public func index(in images: [MediaImage]) -> Int? {
        let usable = images.indices.filter { images[$0].url?.isEmpty == false }
        let sized = usable.compactMap { Sized(images[$0], at: $0) }
        if self.width != nil || self.height != nil, !sized.isEmpty {
            let covering = sized.filter { $0.width >= self.width ?? 0 && $0.height >= self.height ?? 0 }
            return (Self.extreme(of: covering, by: <) ?? Self.extreme(of: sized, by: >))?.index
        }
        guard self.use.wantsLarge else { return usable.first }
        if sized.count > 1 { return Self.extreme(of: sized, by: >)?.index }
        return usable.dropFirst().first ?? usable.first
    }

    private struct Sized {
        let index: Int
        let width: Int
        let height: Int

        init?(_ image: MediaImage, at index: Int) {
            guard let width = image.width, let height = image.height, width > 0, height > 0 else { return nil }
            (self.index, self.width, self.height) = (index, width, height)
        }

        /// As a number that no picture makes too large.
        var area: Double { Double(self.width) * Double(self.height) }
    }

    /// The first picture whose area none of the others comes before.
    private static func extreme(of pictures: [Sized], by isBefore: (Double, Double) -> Bool) -> Sized? {
        var found: Sized?
        for picture in pictures where found.map({ isBefore(picture.area, $0.area) }) ?? true { found = picture }
        return found
    }
}
