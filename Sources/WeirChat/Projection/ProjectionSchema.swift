import WeirStore

/// The tables of the projection (storage spec, layout I): ids interned as numbers, client ids as 16 bytes where they
/// are 32 hexadecimal digits, a row per message in order of arrival, and indexes for identity, timeline and seq.
enum ProjectionSchema {
  /// "Weir" in ASCII.
  static let applicationID: Int32 = 0x5765_6972

  static let schema = Schema(
    applicationID: applicationID,
    migrations: [
      Migration(
        "first format",
        """
        CREATE TABLE meta(
          id INTEGER PRIMARY KEY CHECK (id = 1),
          db_uuid BLOB NOT NULL,
          account TEXT NOT NULL,
          revision INTEGER NOT NULL,
          unread_total INTEGER NOT NULL,
          history_from INTEGER NOT NULL
        );
        CREATE TABLE strings(id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE, crc INTEGER NOT NULL);
        CREATE TABLE conversations(
          id INTEGER PRIMARY KEY,
          key TEXT NOT NULL UNIQUE,
          session_type INTEGER NOT NULL,
          message_count INTEGER NOT NULL,
          unread INTEGER NOT NULL,
          last_message INTEGER,
          last_time INTEGER NOT NULL,
          last_seq INTEGER NOT NULL,
          revision INTEGER NOT NULL
        );
        CREATE INDEX conversations_by_time ON conversations(last_time);
        CREATE TABLE messages(
          id INTEGER PRIMARY KEY,
          conversation INTEGER NOT NULL,
          client_id NOT NULL,
          seq INTEGER NOT NULL,
          send_time INTEGER NOT NULL,
          create_time INTEGER NOT NULL,
          server_id NOT NULL,
          sender INTEGER NOT NULL,
          receiver INTEGER NOT NULL,
          platform INTEGER NOT NULL,
          origin INTEGER NOT NULL,
          nickname INTEGER NOT NULL,
          face INTEGER NOT NULL,
          ex TEXT NOT NULL,
          attached TEXT NOT NULL,
          evidence INTEGER NOT NULL,
          marks INTEGER NOT NULL,
          content_type INTEGER NOT NULL,
          content_form INTEGER NOT NULL,
          content_seq INTEGER NOT NULL,
          content BLOB NOT NULL,
          revision INTEGER NOT NULL,
          crc INTEGER NOT NULL,
          UNIQUE(conversation, client_id)
        );
        CREATE INDEX messages_by_time ON messages(conversation, send_time, seq);
        CREATE INDEX messages_by_seq ON messages(conversation, seq) WHERE seq > 0;
        CREATE TABLE seq_aliases(
          conversation INTEGER NOT NULL,
          seq INTEGER NOT NULL,
          message INTEGER NOT NULL,
          PRIMARY KEY(message, seq)
        ) WITHOUT ROWID;
        CREATE INDEX seq_aliases_by_seq ON seq_aliases(conversation, seq);
        CREATE TABLE recalls(
          client_id NOT NULL,
          conversation INTEGER NOT NULL,
          session_type INTEGER NOT NULL,
          sender INTEGER NOT NULL,
          time INTEGER NOT NULL,
          revoker INTEGER NOT NULL,
          role INTEGER NOT NULL,
          by_admin INTEGER NOT NULL,
          seq INTEGER NOT NULL,
          crc INTEGER NOT NULL,
          PRIMARY KEY(client_id, conversation, session_type, sender)
        ) WITHOUT ROWID;
        CREATE TABLE history(
          revision INTEGER PRIMARY KEY,
          conversation INTEGER NOT NULL,
          kinds INTEGER NOT NULL,
          messages BLOB NOT NULL
        );
        """),
      Migration("receipts, edits, clears, intervals, lists", secondFormat, upgrade: SecondFormatUpgrade.run),
      // Rows may leave out what follows from their other columns; those of earlier formats stayed as they were.
      Migration("shorter rows", ""),
      Migration("packed rows", FourthFormatUpgrade.tables, upgrade: FourthFormatUpgrade.run),
    ])

  /// The schema by which a damaged file of some format is read: one with another table of messages is not rewritten, as
  /// a single page that cannot be read would keep all others from being saved.
  static func salvage(format: Int64) -> Schema {
    guard format < FourthFormatUpgrade.format else { return schema }
    return Schema(
      applicationID: applicationID, migrations: Array(schema.migrations.prefix(Int(FourthFormatUpgrade.format) - 1)))
  }

  private static let secondFormat = """
    ALTER TABLE meta ADD COLUMN unfetched_total INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE meta ADD COLUMN account_epoch INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE meta ADD COLUMN expired_upto INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE messages ADD COLUMN extra BLOB;
    CREATE INDEX messages_private ON messages(conversation, seq) WHERE marks & 96 = 32;
    CREATE INDEX messages_sent_here ON messages(conversation, create_time, client_id) WHERE marks & 512 <> 0;
    CREATE INDEX messages_unsent ON messages(conversation) WHERE evidence = 0;
    ALTER TABLE conversations ADD COLUMN read_seq INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN cleared_seq INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN cleared_time INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN hidden_seq INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN hidden_time INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN server_max INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN known BLOB NOT NULL DEFAULT x'';
    ALTER TABLE conversations ADD COLUMN closed BLOB NOT NULL DEFAULT x'';
    ALTER TABLE conversations ADD COLUMN unfetched INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN pending INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN receive_option INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN draft_time INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN sort_time INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN id_targets INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN seq_targets INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN crc INTEGER;
    DROP INDEX conversations_by_time;
    CREATE INDEX conversations_by_place ON conversations(pinned, sort_time) WHERE message_count > 0 OR draft_time > 0;
    ALTER TABLE history ADD COLUMN subject TEXT NOT NULL DEFAULT '';
    CREATE TABLE targets(
      conversation INTEGER NOT NULL,
      target NOT NULL,
      known BLOB NOT NULL,
      crc INTEGER NOT NULL,
      PRIMARY KEY(conversation, target)
    ) WITHOUT ROWID;
    CREATE TABLE watermarks(
      conversation INTEGER NOT NULL,
      reader INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      time INTEGER NOT NULL,
      crc INTEGER NOT NULL,
      PRIMARY KEY(conversation, reader, seq)
    ) WITHOUT ROWID;
    CREATE TABLE properties(
      conversation INTEGER NOT NULL,
      property INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      value BLOB NOT NULL,
      crc INTEGER NOT NULL,
      PRIMARY KEY(conversation, property)
    ) WITHOUT ROWID;
    CREATE TABLE social(
      scope INTEGER NOT NULL,
      scope_id TEXT NOT NULL,
      entity TEXT NOT NULL,
      revision INTEGER NOT NULL,
      removed INTEGER NOT NULL,
      payload BLOB NOT NULL,
      crc INTEGER NOT NULL,
      PRIMARY KEY(scope, scope_id, entity)
    ) WITHOUT ROWID;
    CREATE TABLE media_tasks(
      task TEXT NOT NULL PRIMARY KEY,
      revision INTEGER NOT NULL,
      state INTEGER NOT NULL,
      native_state INTEGER NOT NULL,
      payload BLOB NOT NULL,
      crc INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE checkpoints(source TEXT NOT NULL PRIMARY KEY, position BLOB NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID;
    """
}
