/** The objects that providers store for keys, with their owners. */
export const remoteObjectTables: readonly string[] = [
  `create table remote_objects (
    key_id text not null,
    id text collate "C" not null,
    type text not null check (type in ('file', 'batch')),
    channel text not null,
    credential_id text,
    public_name text not null,
    upstream_model text not null,
    provider_id text not null,
    created_at_ms bigint not null,
    expires_at_ms bigint not null,
    poll_at_ms bigint,
    detail bytea not null,
    primary key (key_id, id)
  )`,
  'create unique index remote_objects_provider on remote_objects (key_id, channel, provider_id)',
  'create index remote_objects_due on remote_objects (poll_at_ms) where poll_at_ms is not null',
  'create index remote_objects_expiry on remote_objects (expires_at_ms)',
]

/** The code validates the types, so the table has no constraint on them. */
export const remoteObjectTypes: readonly string[] = [
  'alter table remote_objects drop constraint remote_objects_type_check',
]

export const remoteObjectProviderIds: readonly string[] = [
  'create index remote_objects_stored on remote_objects (provider_id)',
]
