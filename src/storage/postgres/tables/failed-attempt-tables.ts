/** The channels that requests failed on before another one was asked, with the columns that SQLite has. */
export const failedAttemptTables: readonly string[] = [
  `create table failed_attempts (
    channel text collate "C" not null,
    id bigint not null,
    shape_id bigint not null,
    primary key (channel, id)
  )`,
  'create index failed_attempts_by_id on failed_attempts (id)',
]
