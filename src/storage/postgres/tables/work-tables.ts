/** Alerts, drafts of the configuration and certifications of channels. */
export const workTables: readonly string[] = [
  `create table alerts (
    id text collate "C" primary key,
    identity text not null,
    kind text not null,
    severity text not null,
    channel text,
    opened_at_ms bigint not null,
    resolved_at_ms bigint,
    muted_until_ms bigint,
    content text not null
  )`,
  'create index alerts_by_age on alerts (opened_at_ms, id)',
  'create index alerts_open on alerts (id) where resolved_at_ms is null',
  'create index alerts_muted on alerts (muted_until_ms) where muted_until_ms is not null',
  'create index alerts_resolved on alerts (resolved_at_ms) where resolved_at_ms is not null',
  `create table certifications (
    id text collate "C" primary key,
    channel text not null,
    model text not null,
    upstream_model text not null,
    state text not null,
    author text not null,
    started_at_ms bigint not null,
    ended_at_ms bigint,
    updated_at_ms bigint not null,
    checks text not null,
    results text not null,
    estimated_cost bigint,
    cost bigint
  )`,
  'create index certifications_by_target on certifications (channel, upstream_model, id)',
  `create table config_drafts (
    id text collate "C" primary key,
    name text not null,
    comment text,
    author text not null,
    created_at_ms bigint not null,
    changed_at_ms bigint not null,
    expires_at_ms bigint not null,
    revision integer not null,
    base_version integer not null,
    document text not null
  )`,
]
