/** The objects that providers store for keys, with their owners. */
export const remoteObjectStatements: readonly string[] = [
  `create table remote_objects (
    key_id text not null,
    id text not null,
    type text not null check (type in ('file', 'batch')),
    channel text not null,
    credential_id text,
    public_name text not null,
    upstream_model text not null,
    provider_id text not null,
    created_at_ms integer not null,
    expires_at_ms integer not null,
    poll_at_ms integer,
    detail blob not null,
    primary key (key_id, id)
  ) strict`,
  'create unique index remote_objects_provider on remote_objects (key_id, channel, provider_id)',
  'create index remote_objects_due on remote_objects (poll_at_ms) where poll_at_ms is not null',
  'create index remote_objects_expiry on remote_objects (expires_at_ms)',
]

/**
 * The code validates the types of remote objects, so the table has no constraint on them. SQLite cannot change a
 * constraint, so that the rows move to a new table.
 */
export const remoteObjectTypeStatements: readonly string[] = [
  'alter table remote_objects rename to remote_objects_before',
  'drop index remote_objects_provider',
  'drop index remote_objects_due',
  'drop index remote_objects_expiry',
  `create table remote_objects (
    key_id text not null,
    id text not null,
    type text not null,
    channel text not null,
    credential_id text,
    public_name text not null,
    upstream_model text not null,
    provider_id text not null,
    created_at_ms integer not null,
    expires_at_ms integer not null,
    poll_at_ms integer,
    detail blob not null,
    primary key (key_id, id)
  ) strict`,
  `insert into remote_objects select key_id, id, type, channel, credential_id, public_name, upstream_model, provider_id,
    created_at_ms, expires_at_ms, poll_at_ms, detail from remote_objects_before`,
  'drop table remote_objects_before',
  'create unique index remote_objects_provider on remote_objects (key_id, channel, provider_id)',
  'create index remote_objects_due on remote_objects (poll_at_ms) where poll_at_ms is not null',
  'create index remote_objects_expiry on remote_objects (expires_at_ms)',
]
