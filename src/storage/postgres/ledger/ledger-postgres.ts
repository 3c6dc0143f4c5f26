import { GatewayError } from '../../../canonical/failure.ts'
import { checkEpochs } from '../../../metering/leases/check-epochs.ts'
import type { Epoch } from '../../../metering/leases/epoch.ts'
import { EpochEndedError } from '../../../metering/leases/epoch-ended-error.ts'
import type { LedgerRow } from '../../../metering/ledger-row.ts'
import type { LedgerBatch, LedgerState, LedgerStore, OpenIntent } from '../../../metering/ledger-store.ts'
import { storeUnavailable } from '../../sqlite/store-fault.ts'
import type { PostgresDatabase, PostgresQueries } from '../open-postgres.ts'
import { countRows } from './count-rows.ts'
import { DATABASE_NOW, isLive } from './epochs.ts'
import { readState } from './meter-store-postgres.ts'
import { readIntent } from './read-intent.ts'
import { storedSumSql } from './stored-sum.ts'
import { sumUsage, UsageSubjects } from './sum-usage.ts'
import { WindowRows } from './window-rows.ts'
import { endIntents, insertIntents, probeIntents, writeCheckpoints } from './write-intents.ts'
import { insertRows } from './write-rows.ts'

export interface PostgresLedgerOptions {
  readonly database: PostgresDatabase
  /** The epoch in which this process currently writes. */
  readonly epoch: () => Epoch
}

const MAX_ORPHANS = 1_000

/** The ledger in PostgreSQL, as one of many nodes writes it. */
export class PostgresLedger implements LedgerStore {
  readonly #options: PostgresLedgerOptions
  readonly #windows = new WindowRows()
  readonly #subjects = new UsageSubjects()
  #isClosed = false

  constructor(options: PostgresLedgerOptions) {
    this.#options = options
  }

  async load(nowMs: number): Promise<LedgerState> {
    const { rows } = await this.#options.database.query(
      `select w.counter, w.window_start_ms, w.window_end_ms, 
         ${storedSumSql('w.settled + coalesce(sum(l.spent), 0)')} as spent
       from budget_windows as w left join budget_leases as l
         on l.counter = w.counter and l.window_start_ms = w.window_start_ms
       where w.window_end_ms is null or w.window_end_ms > $1
       group by w.counter, w.window_start_ms order by w.number`,
      [nowMs],
    )
    return { counters: rows.map(readState), openIntents: await this.findOrphans() }
  }

  /** The open intents of processes that have ended and are no longer expected to settle them. */
  async findOrphans(): Promise<readonly OpenIntent[]> {
    const { rows } = await this.#options.database.query(
      `select i.intent, i.output_tokens from ledger_intents as i join nodes as n on n.epoch = i.epoch
       where n.orphans_from_ms <= ${DATABASE_NOW} order by i.id limit ${MAX_ORPHANS}`,
    )
    return rows.map(({ intent, output_tokens: tokens }) => ({
      intent: readIntent(String(intent)),
      outputTokens: Number(tokens),
    }))
  }

  async commit(batch: LedgerBatch): Promise<void> {
    if (this.#isClosed) throw storeUnavailable('the ledger is closed')
    const epoch = this.#options.epoch()
    const { database } = this.#options
    const rows = distinct(batch.rows)
    try {
      const subjects = rows.length === 0 ? [] : await this.#subjects.idsOf(database, rows)
      await database.transaction((queries) => this.#write(queries, { ...batch, rows }, { epoch, subjects }))
    } catch (error) {
      throw isOfIntents(error) ? error : asUnavailable(error)
    }
    this.#windows.remember(windowsOf(batch))
  }

  close(): void {
    this.#isClosed = true
  }

  async #write(
    queries: PostgresQueries,
    { intents, checkpoints, rows }: LedgerBatch,
    { epoch, subjects }: { readonly epoch: Epoch; readonly subjects: readonly number[] },
  ): Promise<void> {
    const writer = { epoch, isLive: await isLive(queries, epoch) }
    await this.#windows.ensure(queries, windowsOf({ intents, rows }))
    const ids = new Set(rows.map(({ id }) => id))
    const begun = intents.filter(({ id }) => !ids.has(id))
    if (begun.length > 0) {
      checkEpochs(begun, writer)
      await insertIntents(queries, begun, epoch)
    }
    if (rows.length > 0) {
      const written = await insertRows(queries, rows)
      const ended = await endIntents(queries, [...ids])
      const isNew = rows.map(({ id }) => written.has(id))
      const added = rows.filter((_, index) => isNew[index])
      await countRows(queries, added, { writer, ended })
      await sumUsage(queries, added, { subjects: subjects.filter((_, index) => isNew[index]), epoch })
    }
    if (checkpoints.length > 0) await writeCheckpoints(queries, checkpoints)
    if (intents.length + rows.length + checkpoints.length === 0) await probeIntents(queries, epoch)
  }
}

function windowsOf({ intents, rows }: Pick<LedgerBatch, 'intents' | 'rows'>) {
  return [...intents.flatMap(({ held }) => held), ...rows.flatMap(({ counted }) => counted)]
}

function distinct(rows: readonly LedgerRow[]): readonly LedgerRow[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

/** Whether a batch failed only because of some of its intents. */
function isOfIntents(error: unknown): boolean {
  return error instanceof EpochEndedError && error.intents.length > 0
}

function asUnavailable(error: unknown): unknown {
  return error instanceof GatewayError ? error : storeUnavailable(String(error), error)
}
