import type { Epoch } from '../../../metering/leases/epoch.ts'
import type { LedgerRow } from '../../../metering/ledger-row.ts'
import type { PostgresQueries } from '../open-postgres.ts'
import { inLockOrder } from './in-lock-order.ts'
import { storedSum, storedSumSql } from './stored-sum.ts'
import { storedNumber, storedText } from './stored-text.ts'
import type { EndedIntent } from './write-intents.ts'

/** The epoch that writes, and whether it is still live and may hold amounts. */
export interface Writer {
  readonly epoch: Epoch
  readonly isLive: boolean
}

/** The sum that the rows of one batch add to one window of one epoch. */
interface Addition {
  readonly epoch: Epoch
  readonly counter: string
  readonly start: number
  spent: number
  /**
   * The change to the grant of an ended epoch. Such an epoch returns what its intents held beyond the counted
   * amounts.
   */
  granted: number
}

/** Adds the counted amounts of rows to the leases of the epochs that held them. */
export async function countRows(
  queries: PostgresQueries,
  rows: readonly LedgerRow[],
  { writer, ended }: { readonly writer: Writer; readonly ended: ReadonlyMap<string, EndedIntent> },
): Promise<void> {
  const additions = new Map<string, Addition>()
  for (const row of rows) addRow(additions, row, { writer, intent: ended.get(row.id) })
  const sorted = inLockOrder(additions)
  const own = sorted.filter(({ epoch }) => writer.isLive && epoch === writer.epoch)
  const others = sorted.filter((each) => !own.includes(each))
  if (own.length > 0) await addToOwn(queries, own, writer.epoch)
  if (others.length > 0) await addToEnded(queries, others)
}

interface RowParts {
  readonly writer: Writer
  readonly intent: EndedIntent | undefined
}

function addRow(additions: Map<string, Addition>, row: LedgerRow, { writer, intent }: RowParts): void {
  const epoch = intent?.epoch ?? writer.epoch
  const isEnded = epoch !== writer.epoch || !writer.isLive
  const find = (counter: string, start: number): Addition => {
    const name = `${counter} ${start} ${epoch}`
    const known = additions.get(name) ?? { epoch, counter, start, spent: 0, granted: 0 }
    additions.set(name, known)
    return known
  }
  for (const { counter, windowStartMs, amount } of row.counted) {
    const addition = find(storedText(counter), windowStartMs)
    addition.spent += storedNumber(amount)
    if (isEnded) addition.granted += storedNumber(amount)
  }
  if (!isEnded || intent === undefined) return
  for (const { counter, start, amount } of intent.held) find(counter, start).granted -= amount
}

async function addToOwn(
  queries: PostgresQueries,
  additions: readonly Addition[],
  epoch: Epoch,
): Promise<void> {
  await queries.query(
    `insert into budget_leases (epoch, counter, window_start_ms, granted, spent)
     select $1, counter, start, 0, spent from unnest($2::text[], $3::bigint[], $4::bigint[]) as t(counter, start, spent)
     on conflict (counter, window_start_ms, epoch) do update
       set spent = ${storedSumSql('budget_leases.spent + excluded.spent')}`,
    [epoch, ...columnsOf(additions)],
  )
}

/** Adds the amounts to the leases of ended epochs, or to the window itself where the lease no longer exists. */
async function addToEnded(queries: PostgresQueries, additions: readonly Addition[]): Promise<void> {
  await queries.query(
    `with added as (
       select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
         as t(counter, start, spent, granted, epoch)
     ), leased as (
       update budget_leases as l set spent = ${storedSumSql('l.spent + added.spent')},
         granted = ${storedSumSql('l.granted + added.granted')} from added
       where l.counter = added.counter and l.window_start_ms = added.start and l.epoch = added.epoch
       returning l.counter, l.window_start_ms as start, l.epoch
     ), rest as (
       select counter, start, sum(spent) as spent from added
       where not exists (select 1 from leased where leased.counter = added.counter
         and leased.start = added.start and leased.epoch = added.epoch)
       group by counter, start
     )
     update budget_windows as w set settled = ${storedSumSql('w.settled + rest.spent')} from rest
     where w.counter = rest.counter and w.window_start_ms = rest.start`,
    [
      ...columnsOf(additions),
      additions.map(({ granted }) => storedSum(granted)),
      additions.map(({ epoch }) => epoch),
    ],
  )
}

function columnsOf(additions: readonly Addition[]) {
  return [
    additions.map(({ counter }) => counter),
    additions.map(({ start }) => start),
    additions.map(({ spent }) => storedSum(spent)),
  ]
}
