// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "weir",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "Weir", targets: ["Weir"])],
  targets: [
    .target(name: "Weir"),
    .testTarget(name: "WeirTests", dependencies: ["Weir"]),
  ],
  swiftLanguageModes: [.v6]
)
