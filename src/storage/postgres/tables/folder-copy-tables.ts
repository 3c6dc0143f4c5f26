/** The state of the copy of a data folder into this database: which folder, how far, and whether it was verified. */
export const folderCopyTables: readonly string[] = [
  `create table folder_copy (
    id integer primary key default 1 check (id = 1),
    installation text not null,
    started_at_ms bigint not null,
    finished_at_ms bigint,
    last_request bigint not null default 0
  )`,
  // The digest of each copied hour of usage. An hour whose digest has changed is copied again.
  'create table folder_copy_hours (hour integer primary key, digest text not null)',
]
