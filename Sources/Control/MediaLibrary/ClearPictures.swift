import CastWire
import GatewayOperations
import MediaPictures

/// `pictures.clear`
struct ClearPictures: GatewayOperation {
    static let name: OperationName = "pictures.clear"
    static let route = OperationRoute(.post, "/pictures/clear")
    static let scope = OperationScope.control
    static let reach = OperationReach.gateway
    static let summary = "Forgets the pictures that the gateway keeps"
    static let details =
        "Each is fetched again when it is next asked for; one that could not be fetched is tried again at once."
    static let result = ClearedPicturesResult.result("What was forgotten")

    /// Keeps them.
    let pictures: Pictures

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        ClearedPicturesResult.json(self.pictures.clear())
    }
}

/// The count of the pictures that were forgotten.
struct ClearedPicturesResult: ResultRecord {
    typealias Source = (pictures: Int, bytes: Int)

    let pictures = Field("pictures", "How many pictures, with those that could not be fetched") { $0.pictures }
    let bytes = Field("bytes", "How much memory they took") { $0.bytes }

    static let layout = ResultLayout(ClearedPicturesResult())
}
