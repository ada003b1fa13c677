#ifndef WEIR_CSQLITE_SHIM_H
#define WEIR_CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast, which Swift does not import: these two bind a private copy of the bytes.
static inline int weir_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int weir_bind_text_copy(sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// A variadic function, which Swift does not import.
static inline int weir_checkpoint_on_close(sqlite3 *connection, int is_on) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !is_on, (int *)0);
}

// The name of the write-ahead log beside the main file; NULL for a file without a name.
static inline const char *weir_log_path(sqlite3 *connection) {
  const char *path = sqlite3_db_filename(connection, "main");
  return path && *path ? sqlite3_filename_wal(path) : (const char *)0;
}

#endif
