import type { Insertable, Selectable, Updateable } from 'kysely'
import { z } from 'zod'
import type { Key, KeyDigest, KeyId, KeyTerms, PreviousSecret } from '../access/key.ts'
import { budgetListSchema, budgetSchema } from '../access/limits/budget-schema.ts'
import { rateSchema } from '../access/limits/rate-schema.ts'
import { writeBudget, writeRate } from '../access/limits/write-limits.ts'
import { readGrant, writeGrant } from '../access/permission.ts'
import { brand } from '../kit/brand.ts'
import { parseJson } from '../kit/json/parse-json.ts'
import { storeUnavailable } from './sqlite/store-fault.ts'
import type { KeyTable } from './tables.ts'

const textList = z.array(z.string())
const textMap = z.record(z.string(), z.string())

export function writeKeyRow(key: Key): Insertable<KeyTable> {
  return {
    ...writeTerms(key),
    ...writeSecrets(key),
    id: key.id,
    revoked_at_ms: key.revokedAtMs ?? null,
    created_at_ms: key.createdAtMs,
    origin: key.origin,
  }
}

type TermColumns = Omit<
  KeyTable,
  | 'id'
  | 'digest'
  | 'hint'
  | 'previous_digest'
  | 'previous_until_ms'
  | 'revoked_at_ms'
  | 'created_at_ms'
  | 'origin'
>

function writeTerms(terms: KeyTerms): TermColumns {
  const { permission, rate, endUserBudget } = terms
  return {
    name: terms.name,
    models: permission.type === 'all' ? null : JSON.stringify(writeGrant(permission)),
    group_name: terms.group ?? null,
    allow_ips: JSON.stringify(terms.allowIps),
    expires_at_ms: terms.expiresAtMs ?? null,
    disabled: terms.disabled ? 1 : 0,
    dry_run: terms.dryRun ? 1 : 0,
    user_name: terms.user ?? null,
    budgets: JSON.stringify(terms.budgets.map(writeBudget)),
    rate: rate === undefined ? null : JSON.stringify(writeRate(rate)),
    tags: JSON.stringify(terms.tags),
    caller_tags: terms.callerTags ? 1 : 0,
    end_user_budget: endUserBudget === undefined ? null : JSON.stringify(writeBudget(endUserBudget)),
    passthrough: JSON.stringify(terms.passthrough),
  }
}

const columnOf = {
  name: 'name',
  permission: 'models',
  group: 'group_name',
  allowIps: 'allow_ips',
  expiresAtMs: 'expires_at_ms',
  disabled: 'disabled',
  dryRun: 'dry_run',
  user: 'user_name',
  budgets: 'budgets',
  rate: 'rate',
  tags: 'tags',
  callerTags: 'caller_tags',
  endUserBudget: 'end_user_budget',
  passthrough: 'passthrough',
} as const satisfies Record<keyof KeyTerms, keyof TermColumns>

/** Returns only the columns of these terms, so that changing one term never reverts a change of another. */
export function writeChangedTerms(
  terms: KeyTerms,
  changed: readonly (keyof KeyTerms)[],
): Updateable<KeyTable> {
  const columns = writeTerms(terms)
  return Object.fromEntries(changed.map((name) => [columnOf[name], columns[columnOf[name]]]))
}

/** The columns of the key's secrets. */
export function writeSecrets({ digest, hint, previous }: Key) {
  return {
    digest,
    hint,
    previous_digest: previous?.digest ?? null,
    previous_until_ms: previous?.validUntilMs ?? null,
  }
}

export function readKeyRows(rows: readonly Selectable<KeyTable>[]): readonly Key[] {
  const names = new NameColumns()
  return rows.map((row) => readRow(row, names))
}

export function readKeyRow(row: Selectable<KeyTable>): Key {
  return readRow(row, new NameColumns())
}

function readRow(row: Selectable<KeyTable>, names: NameColumns): Key {
  const read = <Value>(schema: z.ZodType<Value>, text: string): Value => readColumn(row.id, schema, text)
  return {
    id: brand<KeyId>(row.id),
    name: row.name,
    digest: brand<KeyDigest>(row.digest),
    hint: row.hint,
    previous: readPrevious(row),
    permission: row.models === null ? { type: 'all' } : readGrant(names.list(row.id, row.models)),
    group: row.group_name ?? undefined,
    allowIps: names.list(row.id, row.allow_ips),
    expiresAtMs: row.expires_at_ms ?? undefined,
    disabled: row.disabled !== 0,
    dryRun: row.dry_run !== 0,
    revokedAtMs: row.revoked_at_ms ?? undefined,
    createdAtMs: row.created_at_ms,
    origin: row.origin,
    user: row.user_name ?? undefined,
    budgets: read(budgetListSchema, row.budgets),
    rate: row.rate === null ? undefined : read(rateSchema, row.rate),
    tags: names.map(row.id, row.tags),
    callerTags: row.caller_tags !== 0,
    endUserBudget: row.end_user_budget === null ? undefined : read(budgetSchema, row.end_user_budget),
    passthrough: names.list(row.id, row.passthrough),
  }
}

/** Columns of names. Rows repeat a few texts, such as `[]`, so that each text is parsed once. */
class NameColumns {
  readonly #lists = new Map<string, readonly string[]>()
  readonly #maps = new Map<string, Readonly<Record<string, string>>>()

  list(keyId: string, text: string): readonly string[] {
    const list = this.#lists.get(text) ?? readColumn(keyId, textList, text)
    this.#lists.set(text, list)
    return list
  }

  map(keyId: string, text: string): Readonly<Record<string, string>> {
    const map = this.#maps.get(text) ?? readColumn(keyId, textMap, text)
    this.#maps.set(text, map)
    return map
  }
}

function readPrevious({
  previous_digest: digest,
  previous_until_ms: validUntilMs,
}: Selectable<KeyTable>): PreviousSecret | undefined {
  if (digest === null || validUntilMs === null) return undefined
  return { digest: brand<KeyDigest>(digest), validUntilMs }
}

function readColumn<Value>(keyId: string, schema: z.ZodType<Value>, text: string): Value {
  try {
    return schema.parse(parseJson(text))
  } catch (cause) {
    throw storeUnavailable(`the row of key ${keyId} is damaged`, cause)
  }
}
