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
    static let result = OperationResult(
        "What was forgotten",
        [
            .init("pictures", .integer, "How many pictures, with those that could not be fetched"),
            .init("bytes", .integer, "How much memory they took"),
        ])

    /// Keeps them.
    let pictures: Pictures

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let cleared = self.pictures.clear()
        return ["pictures": .number(cleared.pictures), "bytes": .number(cleared.bytes)]
    }
}
