import type { Generated } from 'kysely'
import type { Key } from '../access/key.ts'
import type { Certification } from '../admin/certification/certification-store.ts'
import type { ConfigAction } from '../admin/config/config-version-store.ts'
import type { AlertKind, Severity } from '../alerts/alert.ts'
import type { AuditAction } from '../canonical/audit.ts'
import type { BudgetScope } from '../metering/budget.ts'
import type { BudgetChange } from '../metering/credit-store.ts'
import type { PeopleTables } from './people/people-tables.ts'

export interface KeyTable {
  id: string
  name: string
  digest: string
  hint: string
  /** A JSON array of public names; null grants every model. */
  models: string | null
  group_name: string | null
  /** A JSON array. */
  allow_ips: string
  expires_at_ms: number | null
  disabled: number
  dry_run: number
  revoked_at_ms: number | null
  created_at_ms: number
  origin: Key['origin']
  user_name: string | null
  /** JSON in the format of the configuration, like `rate` and `end_user_budget`. */
  budgets: string
  rate: string | null
  /** A JSON object. */
  tags: string
  caller_tags: number
  end_user_budget: string | null
  /** A JSON array of channels. */
  passthrough: string
  /** The previous secret and the time until which it works; both set or both null. */
  previous_digest: string | null
  previous_until_ms: number | null
}

/** One row for each key that was ever used. */
export interface KeyUseTable {
  key_id: string
  last_used_at_ms: number
}

export interface ConfigVersionTable {
  number: number
  created_at_ms: number
  author: string
  credential: string
  address: string
  action: ConfigAction
  comment: string | null
  restored_from: number | null
  /** A JSON array of sentences. */
  changes: string
  /** JSON with sealed secrets; null where only the record is stored. */
  document: string | null
}

/** Changes to the admin API's configuration that are not in force yet. */
export interface ConfigDraftTable {
  id: string
  name: string
  comment: string | null
  author: string
  created_at_ms: number
  changed_at_ms: number
  expires_at_ms: number
  revision: number
  base_version: number
  /** JSON with sealed secrets. */
  document: string
}

/** A table with at most one row. */
export interface HealthSnapshotTable {
  id: 1
  saved_at_ms: number
  /** JSON in the format of the store's schema. */
  snapshot: string
}

/** The audit. Rows are only added, never changed or deleted. */
export interface AuditTable {
  number: Generated<number>
  at_ms: number
  author: string
  credential: string
  address: string
  action: AuditAction
  subject: string
  /** A JSON array of sentences. */
  details: string
}

/** Keys that seal stored values. The installation's secret seals the keys themselves. */
export interface DataKeyTable {
  name: string
  sealed: string
}

/** One row for each key and response ID. */
export interface StoredResponseTable {
  key_id: string
  id: string
  previous_id: string | null
  links: number
  asked_name: string
  created_at_ms: number
  expires_at_ms: number
  bytes: number
  /** This field and the next four are null where no provider stores the response. */
  channel: string | null
  credential_id: string | null
  public_name: string | null
  upstream_model: string | null
  provider_id: string | null
  /** JSON; null if the cost is known. */
  charge: string | null
  absent: 'off' | 'too-large' | 'unfinished' | null
  /** Compressed and sealed; null where `absent` says why. */
  content: Uint8Array | null
}

/** Maps an item to the response that holds it. */
export interface StoredItemTable {
  key_id: string
  item_id: string
  response_id: string
}

/** One row for each key and digest of an idempotency key. */
export interface IdempotentAnswerTable {
  key_id: string
  id: string
  expires_at_ms: number
  bytes: number
  /** Compressed and sealed. */
  content: Uint8Array
}

/** Alerts that are open or over. Fields that no query filters by are in `content`, as JSON. */
export interface AlertTable {
  id: string
  identity: string
  kind: AlertKind
  severity: Severity
  channel: string | null
  opened_at_ms: number
  /** Null while the alert is open. */
  resolved_at_ms: number | null
  muted_until_ms: number | null
  content: string
}

/** Grants. Rows are only added, never changed, as in the next three tables. */
export interface CreditGrantTable {
  number: Generated<number>
  id: string
  scope_type: BudgetScope['type']
  /** Null if the grant is for the installation. */
  scope_name: string | null
  /** The value of a tag; null for every value. */
  scope_value: string | null
  amount: number
  reason: string
  author: string
  at_ms: number
  expires_at_ms: number | null
  code_id: string | null
}

export interface BudgetChangeTable {
  number: Generated<number>
  id: string
  budget_id: string
  type: BudgetChange['type']
  amount: number
  /** The end of the window that was reset. */
  until_ms: number | null
  /** This field and the next are null for a raise. */
  counter: string | null
  window_start_ms: number | null
  reason: string
  author: string
  at_ms: number
}

export interface RedemptionCodeTable {
  number: Generated<number>
  id: string
  digest: string
  hint: string
  amount: number
  reason: string
  author: string
  at_ms: number
  expires_at_ms: number | null
  credit_life_ms: number | null
}

/** The redemption or revocation of a code: at most one row for each code. */
export interface CodeEndTable {
  code_id: string
  at_ms: number
  author: string
  /** Null where the code was revoked. */
  grant_id: string | null
}

/** One row for each certification. Only a certification in progress changes. */
export interface CertificationTable {
  id: string
  channel: string
  model: string
  upstream_model: string
  state: Certification['state']
  author: string
  started_at_ms: number
  ended_at_ms: number | null
  updated_at_ms: number
  /** A JSON array of names. */
  checks: string
  /** JSON in the format of the store's schema. */
  results: string
  /** Nano-dollars, as is `cost`; null without a price. */
  estimated_cost: number | null
  cost: number | null
}

/** One row for each file, batch or cached content that a provider stores for a key. */
export interface RemoteObjectTable {
  key_id: string
  id: string
  type: string
  channel: string
  credential_id: string | null
  public_name: string
  upstream_model: string
  provider_id: string
  created_at_ms: number
  expires_at_ms: number
  /** Null for files, and for batches that are over and billed. */
  poll_at_ms: number | null
  /** JSON, sealed. */
  detail: Uint8Array
}

/** The tables as queries know them. */
export interface Tables extends PeopleTables {
  keys: KeyTable
  key_uses: KeyUseTable
  config_versions: ConfigVersionTable
  config_drafts: ConfigDraftTable
  health: HealthSnapshotTable
  audit: AuditTable
  data_keys: DataKeyTable
  stored_responses: StoredResponseTable
  stored_items: StoredItemTable
  idempotent_answers: IdempotentAnswerTable
  credit_grants: CreditGrantTable
  budget_changes: BudgetChangeTable
  redemption_codes: RedemptionCodeTable
  code_ends: CodeEndTable
  alerts: AlertTable
  certifications: CertificationTable
  remote_objects: RemoteObjectTable
}
