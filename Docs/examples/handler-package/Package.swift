// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "scoreboard",
    dependencies: [
        // Elsewhere: .package(url: "https://…/castway.git", branch: "main")
        .package(name: "castway", path: "../../..")
    ],
    targets: [
        // A handler of a namespace of its own.
        .target(
            name: "Scoreboard",
            dependencies: [
                .product(name: "CastWire", package: "castway"), .product(name: "GatewayCore", package: "castway"),
            ]),
        // A program that casts.
        .executableTarget(
            name: "cast-score",
            dependencies: [
                .product(name: "CastClient", package: "castway"), .product(name: "CastWire", package: "castway"),
            ]),
        .testTarget(
            name: "ScoreboardTests",
            dependencies: [
                "Scoreboard", .product(name: "CastClient", package: "castway"),
                .product(name: "CastWire", package: "castway"), .product(name: "GatewayTesting", package: "castway"),
            ]),
    ]
)
