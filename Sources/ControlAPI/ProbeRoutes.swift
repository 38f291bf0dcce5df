import HTTPTypes
import Hummingbird
import NIOCore

/// What monitors ask (`/livez`, `/readyz`, `/version`), and what is said on a plugin's wire, a JSON object a line, for as long as
/// the caller reads.
struct ProbeRoutes: APIRoutes {
    let probes: ControlProbes
    let pages = ["/livez", "/readyz", "/version", "/api/v1/plugins/{plugin}/trace"]

    func add(to router: Router<CallerContext>) {
        let probes = self.probes
        router.get("/livez") { _, _ in await probes.liveness().response }
        router.get("/readyz") { request, _ in
            let isVerbose = request.uri.queryParameters["verbose"] != nil || request.uri.query == "verbose"
            return probes.readiness(isVerbose).response
        }
        router.get("/version") { _, _ in probes.version().response }
        router.get("/api/v1/plugins/:plugin/trace") { _, context in
            let raw = try context.parameters.require("plugin")
            guard let name = raw.percentDecoded, let lines = probes.trace(name) else {
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
