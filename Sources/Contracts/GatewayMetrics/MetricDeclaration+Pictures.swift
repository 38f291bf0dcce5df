extension MetricDeclaration {
    package static let pictureRequests = MetricDeclaration(
        "castway_picture_requests_total", .counter, "Requests for pictures, by whether they had to be fetched",
        labels: [
            Label(
                "result",
                "`hit` when the answer was kept, `miss` when the picture is fetched, or is being fetched, `busy` when too many are"
            )
        ])
    /// Pictures that were fetched.
    package static let pictureFetches = MetricDeclaration(
        "castway_picture_fetches_total", .counter, "Pictures that were fetched",
        labels: [Label("result", "`ok`, or `failed` when there was no picture, or none that is passed on")])
    package static let pictureFetchedBytes = MetricDeclaration(
        "castway_picture_fetched_bytes_total", .counter, "What the pictures that were fetched have")
    package static let picturesKept = MetricDeclaration(
        "castway_pictures", .gauge, "Pictures that are kept, with those that could not be fetched a moment ago")
    /// Their memory.
    package static let pictureBytes = MetricDeclaration(
        "castway_pictures_bytes", .gauge, "The memory that they take")

    static let pictures: [MetricDeclaration] = [
        Self.pictureRequests, Self.pictureFetches, Self.pictureFetchedBytes, Self.picturesKept, Self.pictureBytes,
    ]
}
