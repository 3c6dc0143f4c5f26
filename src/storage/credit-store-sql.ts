import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import type { AuditRecord } from '../canonical/audit.ts'
import type { NanoDollars } from '../canonical/money.ts'
import { brand } from '../kit/brand.ts'
import type { BudgetId, BudgetScope } from '../metering/budget.ts'
import type {
  BudgetChange,
  BudgetReset,
  CodeId,
  CodePage,
  CreditGrant,
  CreditState,
  CreditStore,
  GrantId,
  RedeemResult,
  Redemption,
  RedemptionCode,
  StoredCode,
  WindowReset,
} from '../metering/credit-store.ts'
import { appendAudit } from './audit-sql.ts'
import type {
  BudgetChangeTable,
  CodeEndTable,
  CreditGrantTable,
  RedemptionCodeTable,
  Tables,
} from './tables.ts'

export function createSqlCreditStore(database: Kysely<Tables>): CreditStore {
  return {
    loadCredits: (nowMs) => loadCredits(database, nowMs),
    addGrant: (grant, record) =>
      database.transaction().execute(async (transaction) => {
        if (await insertGrant(transaction, grant)) await appendAudit(transaction, record)
      }),
    addChanges: (changes, record) =>
      database.transaction().execute(async (transaction) => {
        for (const change of changes) {
          await transaction.insertInto('budget_changes').values(writeChange(change)).execute()
        }
        await appendAudit(transaction, record)
      }),
    addResets: (resets, record) =>
      database.transaction().execute((transaction) => addResets(transaction, resets, record)),
    addCodes: (codes, record) =>
      database.transaction().execute(async (transaction) => {
        for (const code of codes) {
          await transaction.insertInto('redemption_codes').values(writeCode(code)).execute()
        }
        await appendAudit(transaction, record)
      }),
    redeem: (redemption, record) =>
      database.transaction().execute(async (transaction) => {
        const result = await redeem(transaction, redemption)
        if (result.type === 'redeemed') await appendAudit(transaction, record)
        return result
      }),
    revokeCode: (id, record) =>
      database.transaction().execute(async (transaction) => {
        const { atMs, author } = record
        const code = await findCodes(transaction).where('id', '=', id).executeTakeFirst()
        if (code === undefined || code.ended_at_ms !== null) return false
        const end = { code_id: id, at_ms: atMs, author, grant_id: null }
        const isEnded = await endCode(transaction, end)
        if (isEnded) await appendAudit(transaction, record)
        return isEnded
      }),
    listCodes: (page) => listCodes(database, page),
  }
}

async function loadCredits(database: Kysely<Tables>, nowMs: number): Promise<CreditState> {
  const grants = await database.selectFrom('credit_grants').selectAll().orderBy('number').execute()
  const changes = await database
    .selectFrom('budget_changes')
    .selectAll()
    .where(({ or, eb }) => or([eb('until_ms', 'is', null), eb('until_ms', '>', nowMs)]))
    .orderBy('number')
    .execute()
  return { grants: grants.map(readGrant), changes: changes.map(readChange) }
}

async function addResets(
  transaction: Transaction<Tables>,
  resets: readonly WindowReset[],
  record: AuditRecord,
): Promise<readonly BudgetReset[]> {
  const made: BudgetReset[] = []
  for (const { spent, ...reset } of resets) {
    const { counter, windowStartMs } = reset.window
    const { given } = await transaction
      .selectFrom('budget_changes')
      .select(({ fn }) => fn.sum<number | null>('amount').as('given'))
      .where('type', '=', 'reset')
      .where('counter', '=', counter)
      .where('window_start_ms', '=', windowStartMs)
      .executeTakeFirstOrThrow()
    const resetAmount = brand<NanoDollars>(spent - Number(given ?? 0))
    if (resetAmount <= 0) continue
    const change = { ...reset, resetAmount }
    await transaction.insertInto('budget_changes').values(writeChange(change)).execute()
    made.push(change)
  }
  if (made.length > 0) await appendAudit(transaction, record)
  return made
}

async function insertGrant(transaction: Transaction<Tables>, grant: CreditGrant): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('credit_grants')
    .values(writeGrant(grant))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows !== 0n
}

async function redeem(
  transaction: Transaction<Tables>,
  { digest, grant }: Redemption,
): Promise<RedeemResult> {
  const row = await findCodes(transaction).where('digest', '=', digest).executeTakeFirst()
  if (row === undefined) return { type: 'refused', reason: 'unknown' }
  const code = readCode(row)
  if (code.state.type !== 'open') return { type: 'refused', reason: code.state.type }
  if (code.expiresAtMs !== undefined && code.expiresAtMs <= grant.atMs) {
    return { type: 'refused', reason: 'expired' }
  }
  const { id, author, atMs } = grant
  const isFirst = await endCode(transaction, { code_id: code.id, at_ms: atMs, author, grant_id: id })
  if (!isFirst) return { type: 'refused', reason: 'redeemed' }
  const granted: CreditGrant = {
    ...grant,
    amount: code.amount,
    reason: code.reason,
    expiresAtMs: code.creditLifeMs === undefined ? undefined : atMs + code.creditLifeMs,
    codeId: code.id,
  }
  await transaction.insertInto('credit_grants').values(writeGrant(granted)).execute()
  return { type: 'redeemed', grant: granted }
}

/** Ends a code; false where the code has an end already. Of two concurrent ends the table accepts one. */
async function endCode(transaction: Transaction<Tables>, end: Insertable<CodeEndTable>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('code_ends')
    .values(end)
    .onConflict((conflict) => conflict.column('code_id').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows !== 0n
}

function findCodes(database: Kysely<Tables>) {
  return database
    .selectFrom('redemption_codes')
    .leftJoin('code_ends', 'code_ends.code_id', 'redemption_codes.id')
    .selectAll('redemption_codes')
    .select(['code_ends.at_ms as ended_at_ms', 'code_ends.author as ended_by', 'code_ends.grant_id'])
}

async function listCodes(
  database: Kysely<Tables>,
  { before = Number.MAX_SAFE_INTEGER, limit }: Parameters<CreditStore['listCodes']>[0],
): Promise<CodePage> {
  const rows = await findCodes(database)
    .where('number', '<', before)
    .orderBy('number', 'desc')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  return { codes: page.map(readCode), next: rows.length > limit ? page.at(-1)?.number : undefined }
}

type CodeRow = Selectable<RedemptionCodeTable> & {
  readonly ended_at_ms: number | null
  readonly ended_by: string | null
  readonly grant_id: string | null
}

function readCode(row: CodeRow): StoredCode {
  return {
    id: brand<CodeId>(row.id),
    digest: row.digest,
    hint: row.hint,
    amount: brand<NanoDollars>(row.amount),
    reason: row.reason,
    author: row.author,
    atMs: row.at_ms,
    expiresAtMs: row.expires_at_ms ?? undefined,
    creditLifeMs: row.credit_life_ms ?? undefined,
    state: readState(row),
  }
}

function readState({ ended_at_ms: atMs, ended_by, grant_id }: CodeRow): StoredCode['state'] {
  if (atMs === null) return { type: 'open' }
  return grant_id === null
    ? { type: 'revoked', atMs, author: ended_by ?? '' }
    : { type: 'redeemed', atMs, grantId: brand<GrantId>(grant_id) }
}

function writeCode(code: RedemptionCode): Insertable<RedemptionCodeTable> {
  return {
    id: code.id,
    digest: code.digest,
    hint: code.hint,
    amount: code.amount,
    reason: code.reason,
    author: code.author,
    at_ms: code.atMs,
    expires_at_ms: code.expiresAtMs ?? null,
    credit_life_ms: code.creditLifeMs ?? null,
  }
}

function writeGrant(grant: CreditGrant): Insertable<CreditGrantTable> {
  const { scope } = grant
  return {
    id: grant.id,
    scope_type: scope.type,
    scope_name: scope.type === 'installation' ? null : scope.name,
    scope_value: scope.type === 'tag' ? (scope.value ?? null) : null,
    amount: grant.amount,
    reason: grant.reason,
    author: grant.author,
    at_ms: grant.atMs,
    expires_at_ms: grant.expiresAtMs ?? null,
    code_id: grant.codeId ?? null,
  }
}

function readGrant(row: Selectable<CreditGrantTable>): CreditGrant {
  return {
    id: brand<GrantId>(row.id),
    scope: readScope(row),
    amount: brand<NanoDollars>(row.amount),
    reason: row.reason,
    author: row.author,
    atMs: row.at_ms,
    expiresAtMs: row.expires_at_ms ?? undefined,
    codeId: row.code_id === null ? undefined : brand<CodeId>(row.code_id),
  }
}

function readScope(row: Selectable<CreditGrantTable>): BudgetScope {
  const { scope_type: type, scope_name, scope_value } = row
  const name = scope_name ?? ''
  if (type === 'installation') return { type }
  return type === 'tag' ? { type, name, value: scope_value ?? undefined } : { type, name }
}

function writeChange(change: BudgetChange): Insertable<BudgetChangeTable> {
  const { id, budgetId, reason, author, atMs } = change
  const base = { id, budget_id: budgetId, reason, author, at_ms: atMs }
  if (change.type === 'raise') {
    const { type, amount, untilMs = null } = change
    return { ...base, type, amount, until_ms: untilMs, counter: null, window_start_ms: null }
  }
  const { counter, windowStartMs, windowEndMs = null } = change.window
  const { type, resetAmount: amount } = change
  return { ...base, type, amount, until_ms: windowEndMs, counter, window_start_ms: windowStartMs }
}

function readChange(row: Selectable<BudgetChangeTable>): BudgetChange {
  const { id, reason, author, at_ms: atMs, type } = row
  const base = { id, budgetId: brand<BudgetId>(row.budget_id), reason, author, atMs }
  const amount = brand<NanoDollars>(row.amount)
  const untilMs = row.until_ms ?? undefined
  if (type === 'raise') return { ...base, type, amount, untilMs }
  const window = {
    counter: row.counter ?? '',
    windowStartMs: row.window_start_ms ?? 0,
    windowEndMs: untilMs,
  }
  return { ...base, type, window, resetAmount: amount }
}
