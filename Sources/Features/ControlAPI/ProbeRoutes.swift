import HTTPTypes
import Hummingbird

/// What monitors ask: `/livez`, `/readyz`, the same under the name `/healthz`, and `/version`.
struct ProbeRoutes: APIRoutes {
    let probes: ControlProbes
    let pages = ["/livez", "/readyz", "/healthz", "/version"]

    func add(to router: Router<CallerContext>) {
        let probes = self.probes
        router.get("/livez") { _, _ in await probes.liveness().response }
        for path: RouterPath in ["/readyz", "/healthz"] {
            router.get(path) { request, _ in
                let isVerbose = request.uri.queryParameters["verbose"] != nil || request.uri.query == "verbose"
                return probes.readiness(isVerbose).response
            }
        }
        router.get("/version") { _, _ in probes.version().response }
    }
}
