import WeirCommandKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@main
struct Program {
  static func main() async {
    exit(await CommandProgram.weir.run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }
}
