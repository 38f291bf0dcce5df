import CastWire
import GatewayConfig
import GatewayOperations

/// `requests.list`
struct ListRequests: GatewayOperation {
    static let name: OperationName = "requests.list"
    static let route = OperationRoute(.get, "/requests")
    static let scope = OperationScope.read
    static let reach = OperationReach.permitted
    static let summary = "Lists the commands that go on"
    static let details = "A caller sees its own; callers with the scope `admin` see all."
    static let result = CommandRequestListResult.result("The requests")

    /// Carries commands out.
    let requests: CommandRequests

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        CommandRequestListResult.json(self.requests.open(for: caller).map { ($0, caller) })
    }
}

/// `request.get`
struct GetRequest: GatewayOperation {
    static let name: OperationName = "request.get"
    static let route = OperationRoute(.get, "/requests/{request}")
    static let scope = OperationScope.read
    static let reach = OperationReach.permitted
    static let summary = "Tells how a command stands"
    static let details =
        "A request can be looked at for ten minutes after its end, as long as no thousand others have ended since."
    static let result = CommandRequestResult.result("The request")
    static let problems = [RequestInput.unknown]

    /// Carries commands out.
    let requests: CommandRequests

    func perform(_ input: RequestInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        try self.requests.request(input.request, for: caller)
    }
}

/// `request.cancel`
struct CancelRequest: GatewayOperation {
    static let name: OperationName = "request.cancel"
    static let route = OperationRoute(.delete, "/requests/{request}")
    static let scope = OperationScope.control
    static let reach = OperationReach.permitted
    static let summary = "Takes a command back"
    static let details =
        "What the device has not been asked yet is not done: `cancelled`. After that it may have been done: `unknown`. A request that has ended stays as it is."
    static let result = CommandRequestResult.result("The request")
    static let problems = [RequestInput.unknown]

    /// Carries commands out.
    let requests: CommandRequests

    func perform(_ input: RequestInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        try await self.requests.cancel(input.request, for: caller)
    }
}

/// The requests that go on.
struct CommandRequestListResult: ResultRecord {
    typealias Source = [CommandRequestResult.Source]

    let requests = Field("requests", listOf: CommandRequestResult.self, "The oldest first") { $0 }

    static let layout = ResultLayout(CommandRequestListResult())
}

/// Which request is meant.
struct RequestInput: OperationInput {
    var request = ""

    static let keys: [Key] = [
        .required(
            "request", \.request, .text(maximumBytes: 64), "The id of the request", example: "r-8f2c-12")
    ]

    static let unknown = OperationProblemCase("unknown_request", 404, "there is no such request, or it is forgotten")

    init(blank: ConfigBlank) {}
}
