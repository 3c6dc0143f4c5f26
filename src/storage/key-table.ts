import type { Generated, Insertable, Selectable } from 'kysely'
import { z } from 'zod'
import type { Key, KeyDigest, KeyId, Permission } from '../access/key.ts'
import type { ConfigAction } from '../admin/config/config-version-store.ts'
import type { AuditAction } from '../canonical/audit.ts'
import { parseJson } from '../kit/json/parse-json.ts'
import { brand } from '../kit/values/brand.ts'
import { storeUnavailable } from './sqlite/store-fault.ts'

export interface KeyTable {
  id: string
  name: string
  digest: string
  hint: string
  /** JSON array of public names; null grants every model. */
  models: string | null
  group_name: string | null
  /** JSON array. */
  allow_ips: string
  expires_at_ms: number | null
  disabled: number
  dry_run: number
  revoked_at_ms: number | null
  created_at_ms: number
  origin: Key['origin']
}

export interface ConfigVersionTable {
  number: number
  created_at_ms: number
  author: string
  address: string
  action: ConfigAction
  comment: string | null
  restored_from: number | null
  /** JSON array of sentences. */
  changes: string
  /** JSON, secrets sealed; null where only the record is stored. */
  document: string | null
}

/** One row, or none. */
export interface HealthTable {
  id: 1
  saved_at_ms: number
  /** JSON, as the schema of the store has it. */
  snapshot: string
}

/** Only ever added to. */
export interface AuditTable {
  number: Generated<number>
  at_ms: number
  author: string
  address: string
  action: AuditAction
  subject: string
  /** JSON array of sentences. */
  details: string
}

/** Keys that seal what is stored, themselves sealed by the installation's secret. */
export interface DataKeyTable {
  name: string
  sealed: string
}

/** One row for each key and id. */
export interface StoredResponseTable {
  key_id: string
  id: string
  previous_id: string | null
  links: number
  asked_name: string
  created_at_ms: number
  expires_at_ms: number
  bytes: number
  /** This and the next four: null where no provider stores it. */
  channel: string | null
  credential_id: string | null
  public_name: string | null
  upstream_model: string | null
  provider_id: string | null
  absent: 'off' | 'too-large' | 'unfinished' | null
  /** Compressed and sealed; null where `absent` says why. */
  content: Uint8Array | null
}

/** Which response holds an item. */
export interface StoredItemTable {
  key_id: string
  item_id: string
  response_id: string
}

/** The tables as queries know them. */
export interface Tables {
  keys: KeyTable
  config_versions: ConfigVersionTable
  health: HealthTable
  audit: AuditTable
  data_keys: DataKeyTable
  stored_responses: StoredResponseTable
  stored_items: StoredItemTable
}

const textList = z.array(z.string())

export function writeKeyRow(key: Key): Insertable<KeyTable> {
  return {
    id: key.id,
    name: key.name,
    digest: key.digest,
    hint: key.hint,
    models: key.permission.type === 'all' ? null : JSON.stringify([...key.permission.models]),
    group_name: key.group ?? null,
    allow_ips: JSON.stringify(key.allowIps),
    expires_at_ms: key.expiresAtMs ?? null,
    disabled: key.disabled ? 1 : 0,
    dry_run: key.dryRun ? 1 : 0,
    revoked_at_ms: key.revokedAtMs ?? null,
    created_at_ms: key.createdAtMs,
    origin: key.origin,
  }
}

export function readKeyRow(row: Selectable<KeyTable>): Key {
  return {
    id: brand<KeyId>(row.id),
    name: row.name,
    digest: brand<KeyDigest>(row.digest),
    hint: row.hint,
    permission: readPermission(row),
    group: row.group_name ?? undefined,
    allowIps: readTextList(row, row.allow_ips),
    expiresAtMs: row.expires_at_ms ?? undefined,
    disabled: row.disabled !== 0,
    dryRun: row.dry_run !== 0,
    revokedAtMs: row.revoked_at_ms ?? undefined,
    createdAtMs: row.created_at_ms,
    origin: row.origin,
  }
}

function readPermission(row: Selectable<KeyTable>): Permission {
  if (row.models === null) return { type: 'all' }
  return { type: 'named', models: new Set(readTextList(row, row.models)) }
}

function readTextList(row: Selectable<KeyTable>, text: string): readonly string[] {
  try {
    return textList.parse(parseJson(text))
  } catch {
    throw storeUnavailable(`the row of key ${row.id} is damaged`)
  }
}
