/// What goes wrong with a pipeline of hooks.
public enum HookError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is a hook of this name already.
  case duplicateName(name: String)
  /// There is no hook of this name.
  case unknownHook(name: String)
  /// The hook threw.
  case failed(name: String, reason: String)

  /// Stable code of the case.
  public var code: String {
    switch self {
    case .duplicateName: "hook.duplicate-name"
    case .unknownHook: "hook.unknown"
    case .failed: "hook.failed"
    }
  }

  /// The case in words, with what to do.
  public var description: String {
    switch self {
    case .duplicateName(let name): "a hook named \"\(name)\" is there already; remove it first or choose another name"
    case .unknownHook(let name): "there is no hook named \"\(name)\" to insert before; see names"
    case .failed(let name, let reason): "hook \"\(name)\" failed: \(reason); fix or remove it and apply the fact again"
    }
  }
}
