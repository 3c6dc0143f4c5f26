import type { Insertable, Selectable } from 'kysely'
import { z } from 'zod'
import type { Key, KeyDigest, KeyId } from '../access/key.ts'
import { budgetListSchema, budgetSchema } from '../access/limits/budget-schema.ts'
import { rateSchema } from '../access/limits/rate-schema.ts'
import { writeBudget, writeRate } from '../access/limits/write-limits.ts'
import { readGrant, writeGrant } from '../access/permission.ts'
import { parseJson } from '../kit/json/parse-json.ts'
import { brand } from '../kit/values/brand.ts'
import { storeUnavailable } from './sqlite/store-fault.ts'
import type { KeyTable } from './tables.ts'

const textList = z.array(z.string())
const textMap = z.record(z.string(), z.string())

export function writeKeyRow(key: Key): Insertable<KeyTable> {
  return {
    id: key.id,
    name: key.name,
    digest: key.digest,
    hint: key.hint,
    models: key.permission.type === 'all' ? null : JSON.stringify(writeGrant(key.permission)),
    group_name: key.group ?? null,
    allow_ips: JSON.stringify(key.allowIps),
    expires_at_ms: key.expiresAtMs ?? null,
    disabled: key.disabled ? 1 : 0,
    dry_run: key.dryRun ? 1 : 0,
    revoked_at_ms: key.revokedAtMs ?? null,
    created_at_ms: key.createdAtMs,
    origin: key.origin,
    user_name: key.user ?? null,
    budgets: JSON.stringify(key.budgets.map(writeBudget)),
    rate: key.rate === undefined ? null : JSON.stringify(writeRate(key.rate)),
    tags: JSON.stringify(key.tags),
    caller_tags: key.callerTags ? 1 : 0,
    end_user_budget: key.endUserBudget === undefined ? null : JSON.stringify(writeBudget(key.endUserBudget)),
  }
}

export function readKeyRow(row: Selectable<KeyTable>): Key {
  const read = <Value>(schema: z.ZodType<Value>, text: string): Value => readColumn(row.id, schema, text)
  return {
    id: brand<KeyId>(row.id),
    name: row.name,
    digest: brand<KeyDigest>(row.digest),
    hint: row.hint,
    permission: row.models === null ? { type: 'all' } : readGrant(read(textList, row.models)),
    group: row.group_name ?? undefined,
    allowIps: read(textList, row.allow_ips),
    expiresAtMs: row.expires_at_ms ?? undefined,
    disabled: row.disabled !== 0,
    dryRun: row.dry_run !== 0,
    revokedAtMs: row.revoked_at_ms ?? undefined,
    createdAtMs: row.created_at_ms,
    origin: row.origin,
    user: row.user_name ?? undefined,
    budgets: read(budgetListSchema, row.budgets),
    rate: row.rate === null ? undefined : read(rateSchema, row.rate),
    tags: read(textMap, row.tags),
    callerTags: row.caller_tags !== 0,
    endUserBudget: row.end_user_budget === null ? undefined : read(budgetSchema, row.end_user_budget),
  }
}

function readColumn<Value>(keyId: string, schema: z.ZodType<Value>, text: string): Value {
  try {
    return schema.parse(parseJson(text))
  } catch {
    throw storeUnavailable(`the row of key ${keyId} is damaged`)
  }
}
