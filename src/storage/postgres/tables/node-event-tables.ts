/** Messages between nodes. They are of use for seconds, so that a crash of the database may lose them. */
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
