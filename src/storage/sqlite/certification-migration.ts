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
