/** The table of alerts. */
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

/** The table of certifications. */
export const certificationStatements: readonly string[] = [
  `create table certifications (
    id text primary key,
    channel text not null,
    model text not null,
    upstream_model text not null,
    state text not null,
    author text not null,
    started_at_ms integer not null,
    ended_at_ms integer,
    updated_at_ms integer not null,
    checks text not null,
    results text not null,
    estimated_cost integer,
    cost integer
  ) strict`,
  'create index certifications_by_target on certifications (channel, upstream_model, id)',
]

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
