/** Captures, and the shares of rate limits that nodes agree on. */
export const sharedWorkTables: readonly string[] = [
  `create table rate_shares (
    limit_id text collate "C" not null,
    epoch bigint not null,
    share double precision not null,
    asked bigint not null,
    lacked_at_ms bigint not null,
    primary key (limit_id, epoch)
  ) with (fillfactor = 70)`,
  `create table captures (
    request_id text collate "C" primary key,
    key_id text collate "C" not null,
    key_name text not null,
    user_name text,
    group_name text,
    model text,
    operation text not null,
    status integer not null,
    at_ms bigint not null,
    has_prompt integer not null,
    has_answer integer not null,
    bytes bigint not null,
    content bytea not null
  )`,
  'create index captures_by_age on captures (at_ms, request_id)',
  'create index captures_by_key on captures (key_id, at_ms, request_id)',
  // The lease of the node that does work which only one node must do.
  `create table background_work (
    id integer primary key default 1 check (id = 1),
    epoch bigint not null,
    until_ms bigint not null
  )`,
]

/** Messages between nodes. They are useful for seconds only, so a crash of the database may lose them. */
export const nodeEventTables: readonly string[] = [
  `create unlogged table node_events (
    number bigint primary key,
    epoch bigint not null,
    topic text not null,
    at_ms bigint not null,
    content text not null
  )`,
  "insert into changes (topic, version) values ('node_events', 0)",
]
