import GatewayMetrics
import HTTPTypes
import Hummingbird
import NIOCore

/// What Prometheus reads: `/metrics`, in the text format that the scraper asks for.
struct MetricsRoutes: APIRoutes {
    let pages = ["/metrics"]
    private let desk: ScrapeCoalescer

    init(metrics: MetricsRegistry) { self.desk = ScrapeCoalescer(metrics) }

    func add(to router: Router<CallerContext>) {
        let desk = self.desk
        router.get("/metrics") { request, _ in
            let format = ExpositionFormat(accept: request.headers[.accept])
            return Response(
                status: .ok, headers: [.contentType: format.contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(string: await desk.text(format))))
        }
    }
}
