extension ReloadPlanTests {
    private static func picture(_ name: String, _ text: String) -> Sample {
        Self.top("pictures.\(name)", "pictures: {}", "pictures: {\(text)}", "pictures")
    }

    private static func source(_ plugin: String) -> String {
        """
        pictures: {source: {plugin: \(plugin)}}
        plugins: {directory: folders, instances: [{name: one, plugin: a.b}, {name: two, plugin: a.b}]}
        """
    }

    static let pictureSamples: [Sample] = [
        picture("total", "total: 8MiB"), picture("size", "size: 1MiB"), picture("age", "age: 1m"),
        picture("timeout", "timeout: 1s"), picture("allow_private", "allow_private: true"),
        picture("allow_http", "allow_http: true"),
        Self.top("pictures.source.plugin", source("one"), source("two"), "pictures"),
    ]
}
