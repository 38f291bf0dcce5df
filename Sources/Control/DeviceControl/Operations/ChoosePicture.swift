import CastClient
import CastWire
import ControlAPI
import FeatureContract
import GatewayConfig
import GatewayOperations
import MediaPictures

/// `media.picture`
struct ChoosePicture: DeviceControlOperation {
    struct Input: DeviceInput {
        var device = DeviceReference("")
        var use = PictureChoice.Use.custom
        var width: Int?
        var height: Int?

        static let keys: [Key] = [
            .device(\.device),
            Key(
                "use", \.use, .word,
                "Where it is shown; `background` and `expanded` have the largest, or the second where no sizes are told, all others the "
                    + "first"),
            .optional(
                "width", \.width, .integer(1...100_000),
                "How wide the place is, in pixels; then it is the smallest picture that covers it, else the largest"),
            .optional("height", \.height, .integer(1...100_000), "How high the place is, in pixels"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "media.picture"
    static let route = OperationRoute(.get, "/devices/{device}/media/picture")
    static let scope = OperationScope.read
    static let reach = OperationReach.device
    static let summary = "Chooses the picture of what plays that fits a place"
    static let details =
        "Nothing is asked of the app: it is chosen among those that the status names. With `pictures` in `gateway.yaml` the API gives its bytes "
        + "too, at `cached_url`."
    static let result = ChosenPictureResult.result("The picture")
    static let problems =
        DeviceProblem.named + [OperationProblemCase("no_picture", 404, "nothing plays, or what plays has no picture")]

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.controls.device(input.device, for: caller)
        let images = await device.media().media?.metadata?.images ?? []
        let choice = PictureChoice(for: input.use, width: input.width, height: input.height)
        guard let index = choice.index(in: images), let url = images[index].url else {
            throw .missing("no_picture", "'\(device.name)' plays nothing that has a picture")
        }
        var cachedURL: String?
        if self.controls.pictures.isOn, let id = PictureID(of: url) {
            let kind = input.device.kind.map { "\($0.rawValue):" } ?? ""
            cachedURL = PictureRoutes.path(of: .device(kind + device.name), picture: id.description)
        }
        return ChosenPictureResult.json((device.name, input.use, url, cachedURL, images, index))
    }
}

/// A picture that was chosen for a place.
struct ChosenPictureResult: ResultRecord {
    typealias Source = (
        device: String, use: PictureChoice.Use, url: String, cachedURL: String?, images: [MediaImage], index: Int
    )

    let device = Field("device", "The device") { $0.device }
    let use = Field("use", "Where it is shown") { $0.use.rawValue }
    let url = Field("url", "Where it is") { $0.url }
    let cachedURL = Field.optional(
        "cached_url",
        "Where the API listener gives its bytes, as a path, for as long as the device names it; missing when `pictures` is not in "
            + "`gateway.yaml`"
    ) { $0.cachedURL }
    let width = Field.optional("width", "How wide it is, in pixels; missing when the medium does not tell") {
        $0.images[$0.index].width
    }
    let height = Field.optional("height", "How high it is, in pixels; missing when the medium does not tell") {
        $0.images[$0.index].height
    }
    let index = Field("index", "Which of the medium's pictures it is, from 0") { $0.index }
    let count = Field("count", "How many the medium has") { $0.images.count }

    static let layout = ResultLayout(ChosenPictureResult())
}
