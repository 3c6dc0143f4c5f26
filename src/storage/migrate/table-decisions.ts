// Lists the tables of a data folder, and how each is copied into PostgreSQL. A test reads the tables of both stores
// and refuses a table that is not listed here.

export type TableDecision =
  /** Copied row by row into the table of the same name and columns, once the gateway is stopped. */
  | { readonly type: 'copied' }
  /** Copied by separate code, since PostgreSQL stores it differently, or since the table is large. */
  | { readonly type: 'converted'; readonly into: readonly string[] }
  /** Holds only data that can be derived from the other tables. */
  | { readonly type: 'derived'; readonly reason: string }
  | { readonly type: 'not needed'; readonly reason: string }

type Decisions = Readonly<Record<string, TableDecision>>

const copied: TableDecision = { type: 'copied' }
const migrations: TableDecision = {
  type: 'not needed',
  reason: 'the versions of the tables of each store are its own',
}
const names: TableDecision = {
  type: 'derived',
  reason: 'a number for a name, which rows in PostgreSQL spell out',
}

const keyDecisions: Decisions = {
  keys: copied,
  key_uses: copied,
  config_versions: copied,
  config_drafts: copied,
  health: copied,
  audit: copied,
  data_keys: copied,
  stored_responses: copied,
  stored_items: copied,
  idempotent_answers: copied,
  remote_objects: copied,
  credit_grants: copied,
  budget_changes: copied,
  redemption_codes: copied,
  code_ends: copied,
  alerts: copied,
  certifications: copied,
  users: copied,
  user_groups: copied,
  recovery_codes: copied,
  sessions: copied,
  tokens: copied,
  links: copied,
  identities: copied,
  authorizations: copied,
  sign_in_failures: copied,
  migrations,
}

const ledgerDecisions: Decisions = {
  ledger: { type: 'converted', into: ['ledger_rows'] },
  names,
  subjects: { type: 'converted', into: ['usage_subjects'] },
  tag_sets: names,
  counters: names,
  windows: { type: 'converted', into: ['budget_windows'] },
  intent_batches: { type: 'converted', into: ['ledger_intents', 'budget_leases', 'nodes'] },
  checkpoints: { type: 'converted', into: ['ledger_intents'] },
  open_cells: { type: 'converted', into: ['usage_sums'] },
  tool_calls: { type: 'converted', into: ['usage_tools'] },
  hour_cells: { type: 'converted', into: ['usage_sums', 'usage_tools'] },
  day_cells: { type: 'derived', reason: 'the sums of the hours of a day' },
  hours: { type: 'converted', into: ['usage_pruned'] },
  migrations,
}

const requestDecisions: Decisions = {
  shapes: { type: 'converted', into: ['shapes'] },
  reach: { type: 'derived', reason: 'the first and last row of a shape, counted as rows are copied' },
  failed_attempts: { type: 'converted', into: ['failed_attempts'] },
  requests: { type: 'converted', into: ['requests', 'request_days', 'request_log_state', 'reach'] },
  traffic_subjects: { type: 'converted', into: ['traffic_subjects'] },
  traffic: { type: 'converted', into: ['traffic'] },
  traffic_state: { type: 'converted', into: ['traffic_state'] },
  migrations,
}

const captureDecisions: Decisions = { captures: copied, migrations }

/** The decisions on the tables of each database of a data folder. */
export const tableDecisions = {
  'headgate.db': keyDecisions,
  'ledger.db': ledgerDecisions,
  'requests.db': requestDecisions,
  'captures.db': captureDecisions,
} as const satisfies Readonly<Record<string, Decisions>>

/** Tables that only PostgreSQL has, and why nothing is copied into them. */
export const tablesWithoutSource: Readonly<Record<string, string>> = {
  migrations: 'the versions of the tables of PostgreSQL',
  changes: 'counts the changes that nodes make',
  idempotent_claims: 'claims of calls in progress, which end with the process',
  rate_shares: 'what live nodes say of rate limits',
  node_events: 'what live nodes say to each other',
  background_work: 'the node that does background work',
  folder_copy: 'the state of the copy itself',
  folder_copy_hours: 'the state of the copy itself',
}

/** The tables of `headgate.db` that are copied. `captures.db` has only one such table. */
export const copiedTables: readonly string[] = Object.entries(keyDecisions).flatMap(([table, { type }]) =>
  type === 'copied' ? [table] : [],
)
export const CAPTURES_TABLE = 'captures'
