/** The orders in which lists of keys are read by pages. */
export const keyPageStatements: readonly string[] = [
  'create index keys_by_age on keys (created_at_ms, id)',
  'create index keys_by_name on keys (name, id)',
  'create index keys_by_user on keys (user_name) where user_name is not null',
  'create index keys_by_group on keys (group_name) where group_name is not null',
]
