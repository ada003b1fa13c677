import WeirStore

/// Transfers of media. A terminal state is never displaced by progress; else the greatest (revision, state, bytes) stands.
final class MediaTaskTable {
  private let select: Statement
  private let upsert: Statement?

  init(_ connection: Connection, writes: Bool) throws(StoreError) {
    let columns = "task, revision, state, native_state, payload, crc"
    select = try connection.prepare("SELECT \(columns) FROM media_tasks WHERE task = ?1")
    upsert =
      writes
      ? try connection.prepare(
        """
        INSERT INTO media_tasks(\(columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT DO UPDATE SET revision = ?2, state = ?3, native_state = ?4, payload = ?5, crc = ?6
        """) : nil
  }

  /// Joins a state; false when it tells nothing new.
  func join(_ fact: MediaTaskFact) throws(StoreError) -> Bool {
    let told = MediaTask(fact)
    if let known = try task(fact.taskID), !known.precedes(told) { return false }
    guard let upsert else { throw StoreError(.readOnly, "a reader cannot note a task") }
    upsert.bind(fact.taskID, at: 1)
    upsert.bind(fact.revision, at: 2)
    upsert.bind(fact.state.rawValue, at: 3)
    upsert.bind(fact.nativeState, at: 4)
    upsert.bind(fact.payload, at: 5)
    upsert.bind(Self.checksum(told), at: 6)
    try upsert.run()
    return true
  }

  /// Where a task stands; nil for an unknown one.
  func task(_ id: String) throws(StoreError) -> MediaTask? {
    select.bind(id, at: 1)
    guard try select.step() else { return nil }
    defer { select.reset() }
    guard let state = MediaTaskFact.State(rawValue: select.int64(2)) else {
      throw StoreError(.corrupt, "the task \(id) holds an unknown state")
    }
    let task = MediaTask(
      taskID: select.string(0), revision: select.int64(1), state: state, nativeState: select.int64(3),
      payload: select.bytes(4))
    guard select.int64(5) == Self.checksum(task) else {
      throw StoreError(.corrupt, "the task \(id) does not match its checksum")
    }
    return task
  }

  private static func checksum(_ task: MediaTask) -> Int64 {
    var checksum = Checksum()
    checksum.add(task.taskID)
    for number in [task.revision, task.state.rawValue, task.nativeState] { checksum.add(number) }
    checksum.add(task.payload)
    return Int64(checksum.value)
  }
}

/// Where the transfer of a medium stands.
public struct MediaTask: Sendable, Equatable {
  /// Which task.
  public var taskID: String
  /// The revision that stands.
  public var revision: Int64
  /// Where it stands.
  public var state: MediaTaskFact.State
  /// The state as the source numbers it.
  public var nativeState: Int64
  /// What else the source tells, as JSON.
  public var payload: [UInt8]

  init(taskID: String, revision: Int64, state: MediaTaskFact.State, nativeState: Int64, payload: [UInt8]) {
    self.taskID = taskID
    self.revision = revision
    self.state = state
    self.nativeState = nativeState
    self.payload = payload
  }

  init(_ fact: MediaTaskFact) {
    self.init(
      taskID: fact.taskID, revision: fact.revision, state: fact.state, nativeState: fact.nativeState,
      payload: fact.payload)
  }

  /// Whether `other` stands instead of this one.
  func precedes(_ other: MediaTask) -> Bool {
    if state.isTerminal != other.state.isTerminal { return other.state.isTerminal }
    let numbers = (revision, state.rawValue, nativeState)
    let others = (other.revision, other.state.rawValue, other.nativeState)
    return numbers == others ? payload.lexicographicallyPrecedes(other.payload) : numbers < others
  }
}
