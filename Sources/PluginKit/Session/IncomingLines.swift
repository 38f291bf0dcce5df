/// What comes from the gateway, and what is remembered from one line to the next.
struct IncomingLines {
    var splitter = LineSplitter()
    var recall = RouteRecall()
}
