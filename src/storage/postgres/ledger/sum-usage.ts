import { createHash } from 'node:crypto'
import type { Epoch } from '../../../metering/leases/epoch.ts'
import type { LedgerRow } from '../../../metering/ledger-row.ts'
import { USAGE_SLOT_MS } from '../../../metering/usage-query.ts'
import { measures, usageClasses } from '../../ledger/ledger-tables.ts'
import type { PostgresQueries } from '../open-postgres.ts'
import { inLockOrder } from './in-lock-order.ts'
import { storedSum, storedSumSql } from './stored-sum.ts'
import { storedJson, storedNumber, storedText, storedTextOrNull } from './stored-text.ts'

/** The fields by which usage is summed up, besides time. */
export type UsageSubject = Pick<
  LedgerRow,
  'keyId' | 'keyName' | 'userName' | 'group' | 'model' | 'channel' | 'upstreamModel' | 'tags'
>

interface NewSubject extends UsageSubject {
  readonly digest: string
}

const MAX_KNOWN_SUBJECTS = 100_000

/** The numbers of subjects by their content. A batch has few new subjects. */
export class UsageSubjects {
  readonly #ids = new Map<string, number>()

  /** Makes the missing subjects. Subjects are never deleted, even when their rows are. */
  async idsOf(queries: PostgresQueries, rows: readonly UsageSubject[]): Promise<readonly number[]> {
    const digests = rows.map(digestOf)
    const missing = new Map<string, NewSubject>()
    for (const [index, row] of rows.entries()) {
      const digest = digests[index] ?? ''
      if (!this.#ids.has(nameOf(digest, row))) missing.set(digest, { ...row, digest })
    }
    if (missing.size > 0) await this.#make(queries, missing)
    return rows.map((row, index) => this.#ids.get(nameOf(digests[index] ?? '', row)) ?? 0)
  }

  async #make(queries: PostgresQueries, missing: ReadonlyMap<string, NewSubject>): Promise<void> {
    if (this.#ids.size > MAX_KNOWN_SUBJECTS) this.#ids.clear()
    const subjects = inLockOrder(missing)
    const { rows } = await queries.query(
      `insert into usage_subjects
         (digest, key_id, key_name, user_id, group_name, model, channel, upstream_model, tags)
       select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
         $8::text[], $9::jsonb[])
       on conflict (digest) do update set key_name = excluded.key_name returning id, digest`,
      [
        subjects.map(({ digest }) => digest),
        subjects.map(({ keyId }) => storedText(keyId)),
        subjects.map(({ keyName }) => storedText(keyName)),
        subjects.map(({ userName }) => storedTextOrNull(userName)),
        subjects.map(({ group }) => storedTextOrNull(group)),
        subjects.map(({ model }) => storedText(model)),
        subjects.map(({ channel }) => storedText(channel)),
        subjects.map(({ upstreamModel }) => storedText(upstreamModel)),
        subjects.map(({ tags }) => storedJson(tags)),
      ],
    )
    for (const { id, digest } of rows) {
      const row = missing.get(String(digest))
      if (row !== undefined) this.#ids.set(nameOf(String(digest), row), Number(id))
    }
  }
}

/** Identifies a subject together with the name of its key, so that a new name is written once. */
function nameOf(digest: string, { keyName }: UsageSubject): string {
  return `${digest} ${keyName}`
}

function digestOf({ keyId, userName, group, model, channel, upstreamModel, tags }: UsageSubject): string {
  const sortedTags = Object.entries(tags).sort(([one], [other]) => (one < other ? -1 : 1))
  const subject = storedJson([
    keyId,
    userName ?? null,
    group ?? null,
    model,
    channel,
    upstreamModel,
    sortedTags,
  ])
  return createHash('sha256').update(subject).digest('base64url')
}

/** The sums of one subject in one slot. */
export interface UsageCell {
  readonly slot: number
  readonly subject: number
  /** The sums in the order of `measures`. */
  readonly values: number[]
  readonly tools: Map<string, number>
}

/** Adds rows to the usage sums. Each epoch has its own sums, so that no node waits for another. */
export async function sumUsage(
  queries: PostgresQueries,
  rows: readonly LedgerRow[],
  { subjects, epoch }: { readonly subjects: readonly number[]; readonly epoch: Epoch },
): Promise<void> {
  const cells = new Map<string, UsageCell>()
  for (const [index, row] of rows.entries()) {
    const slot = Math.floor(storedNumber(row.endedAtMs) / USAGE_SLOT_MS)
    const subject = subjects[index] ?? 0
    const name = `${String(slot).padStart(12, '0')} ${String(subject).padStart(16, '0')}`
    const cell = cells.get(name) ?? { slot, subject, values: measures.map(() => 0), tools: new Map() }
    cells.set(name, cell)
    addRow(cell, row)
  }
  await addUsageCells(queries, inLockOrder(cells), epoch)
}

/** Adds cells to the sums of a shard. No two cells may have the same slot and subject. */
export async function addUsageCells(
  queries: PostgresQueries,
  sorted: readonly UsageCell[],
  shard: number,
): Promise<void> {
  await queries.query(sumSql, [
    sorted.map(({ slot }) => slot),
    sorted.map(({ subject }) => subject),
    shard,
    ...measures.map((_, index) => sorted.map(({ values }) => storedSum(values[index] ?? 0))),
  ])
  const tools = sorted.flatMap(({ slot, subject, tools: calls }) =>
    [...calls].map(([tool, count]) => ({ slot, subject, tool, count })),
  )
  if (tools.length === 0) return
  await queries.query(
    `insert into usage_tools (slot, subject, shard, tool, calls)
     select slot, subject, $3, tool, calls from unnest($1::integer[], $2::bigint[], $4::text[], $5::bigint[])
       as t(slot, subject, tool, calls)
     on conflict (slot, subject, shard, tool) do update
       set calls = ${storedSumSql('usage_tools.calls + excluded.calls')}`,
    [
      tools.map(({ slot }) => slot),
      tools.map(({ subject }) => subject),
      shard,
      tools.map(({ tool }) => storedText(tool)),
      tools.map(({ count }) => storedSum(count)),
    ],
  )
}

const sumSql = `insert into usage_sums (slot, subject, shard, ${measures.join(', ')})
  select slot, subject, $3, ${measures.join(', ')} from unnest($1::integer[], $2::bigint[],
    ${measures.map((_, index) => `$${index + 4}::bigint[]`).join(', ')}) as t(slot, subject, ${measures.join(', ')})
  on conflict (slot, subject, shard) do update set
    ${measures.map((name) => `${name} = ${storedSumSql(`usage_sums.${name} + excluded.${name}`)}`).join(', ')}`

function addRow({ values, tools }: UsageCell, row: LedgerRow): void {
  const { cost, charged, usage } = row
  const added = [...countsOf(row), cost, charged, ...usageClasses.map((name) => usage[name])]
  for (const [index, value] of added.entries()) values[index] = (values[index] ?? 0) + storedNumber(value)
  for (const [tool, calls] of Object.entries(usage.toolCalls))
    tools.set(tool, (tools.get(tool) ?? 0) + storedNumber(calls))
}

/** A correction is not a separate attempt, and its attempt is no longer counted as an estimate. */
function countsOf({ attempt, state, flags }: LedgerRow): readonly number[] {
  if (flags.corrects !== undefined) return [0, 0, 0, state === 'settled' ? -1 : 0]
  const isFailed = state === 'void' || flags.failed === true
  return [1, attempt === 1 ? 1 : 0, isFailed ? 1 : 0, state === 'estimated' ? 1 : 0]
}
