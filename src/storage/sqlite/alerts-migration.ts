export const alertStatements: readonly string[] = [
  `create table alerts (
        id text primary key,
        identity text not null,
        kind text not null,
        severity text not null,
        channel text,
        opened_at_ms integer not null,
        resolved_at_ms integer,
        muted_until_ms integer,
        content text not null
      ) strict`,
  'create index alerts_by_age on alerts (opened_at_ms, id)',
  'create index alerts_open on alerts (id) where resolved_at_ms is null',
  'create index alerts_muted on alerts (muted_until_ms) where muted_until_ms is not null',
  'create index alerts_resolved on alerts (resolved_at_ms) where resolved_at_ms is not null',
]
