/** The channels on which requests failed before another channel was called. The columns are the same as in SQLite. */
export const failedAttemptTables: readonly string[] = [
  `create table failed_attempts (
    channel text collate "C" not null,
    id bigint not null,
    shape_id bigint not null,
    primary key (channel, id)
  )`,
  'create index failed_attempts_by_id on failed_attempts (id)',
]
