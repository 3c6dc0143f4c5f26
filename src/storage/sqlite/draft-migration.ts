/** The table of drafts of the configuration. */
export const draftStatements: readonly string[] = [
  `create table config_drafts (
    id text primary key,
    name text not null,
    comment text,
    author text not null,
    created_at_ms integer not null,
    changed_at_ms integer not null,
    expires_at_ms integer not null,
    revision integer not null,
    base_version integer not null,
    document text not null
  ) strict, without rowid`,
]
