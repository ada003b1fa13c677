// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "weir",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Weir", targets: ["Weir"]),
    .library(name: "WeirTesting", targets: ["WeirTesting"]),
  ],
  targets: [
    .target(name: "Weir"),
    .target(name: "WeirTesting", dependencies: ["Weir"], exclude: ["README.md"]),
    .testTarget(name: "WeirTests", dependencies: ["Weir", "WeirTesting"]),
    .testTarget(name: "WeirTestingTests", dependencies: ["WeirTesting"]),
  ],
  swiftLanguageModes: [.v6]
)
