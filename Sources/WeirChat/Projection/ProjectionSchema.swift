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
        """)
    ])
}
