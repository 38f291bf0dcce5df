import HTTPTypes
import Hummingbird
import NIOCore
import SystemPrimitives

/// What is said on a plugin's wire, a JSON object a line, for as long as the caller reads.
struct PluginTraceRoutes: APIRoutes {
    /// The lines of a plugin from now on; nil for one that does not run.
    let trace: @Sendable (_ plugin: String) -> AsyncStream<String>?
    let pages = ["/api/v1/plugins/{plugin}/trace"]

    func add(to router: Router<CallerContext>) {
        let trace = self.trace
        router.get("/api/v1/plugins/:plugin/trace") { _, context in
            let raw = try context.parameters.require("plugin")
            guard let name = raw.percentDecoded, let lines = trace(name) else {
                return ControlAnswer.problem(status: 404, code: "unknown_plugin", "no plugin named '\(raw)' runs")
                    .response
            }
            return Response(
                status: .ok, headers: [.contentType: "application/x-ndjson"],
                body: ResponseBody { writer in
                    for await line in lines { try await writer.write(ByteBuffer(string: line)) }
                    try await writer.finish(nil)
                })
        }
    }
}
