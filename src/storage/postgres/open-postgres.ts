import type { Pool, PoolClient } from 'pg'
import type { DatabaseSettings } from '../../config/database-schema.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { storeUnavailable } from '../sqlite/store-fault.ts'
import { storedText } from './ledger/stored-text.ts'
import { loadDriver } from './load-driver.ts'
import { createPoolConfig } from './pool-config.ts'
import { endsConnection, isRepeatable, isSilence, readPostgresFault, stateOf } from './postgres-fault.ts'

interface PostgresOptions {
  readonly settings: DatabaseSettings
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** A random number in [0, 1). It spreads the reconnection attempts of many nodes. */
  readonly chance: () => number
}

export interface PostgresResult {
  /** Plain objects that map column names to values. */
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** The number of rows that the statement returned or changed. */
  readonly count: number
}

/**
 * Runs statements. A null character in a text is replaced, since PostgreSQL refuses it; texts in arrays are left to the
 * caller. Throws `UniqueConstraintError`, or `store_unavailable` for the database's own faults.
 */
export interface PostgresQueries {
  query(sql: string, parameters?: readonly unknown[]): Promise<PostgresResult>
}

/** One connection of the pool, for a transaction whose statements are sent one by one. */
export interface ReservedConnection extends PostgresQueries {
  release(): void
}

/** The pool of connections to one database. */
export interface PostgresDatabase extends PostgresQueries {
  /** The host and the name of the database, for people to read. */
  readonly name: string
  /**
   * Commits all that `work` writes, or nothing. `work` is called again after a conflict with another transaction, or
   * where the server ended this transaction because nothing was sent for too long.
   */
  transaction<Result>(work: (queries: PostgresQueries) => Promise<Result>): Promise<Result>
  /**
   * The same for work that reads or copies much. Each statement may take this long. At most half of the connections do
   * such work. Further calls wait.
   */
  longTransaction<Result>(
    work: (queries: PostgresQueries) => Promise<Result>,
    statementTimeoutMs: number,
  ): Promise<Result>
  reserve(): Promise<ReservedConnection>
  /** Waits for the statements in flight. */
  close(): Promise<void>
}

const MAX_TRIES = 5
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 1_000

export async function openPostgres(options: PostgresOptions): Promise<PostgresDatabase> {
  const driver = await loadDriver()
  const pool = new driver.Pool(createPoolConfig(options.settings, driver))
  // An idle connection that ends is replaced by the next call.
  pool.on('error', () => undefined)
  return new PooledDatabase(pool, options)
}

class PooledDatabase implements PostgresDatabase {
  readonly name: string
  readonly #pool: Pool
  readonly #options: PostgresOptions
  readonly #longWork: WorkLimit
  #pauseMs = 0
  #awayUntilMs = Number.NEGATIVE_INFINITY

  constructor(pool: Pool, options: PostgresOptions) {
    this.#pool = pool
    this.#longWork = new WorkLimit(Math.max(1, Math.floor(options.settings.connections / 2)))
    this.#options = options
    this.name = options.settings.name
  }

  async query(sql: string, parameters: readonly unknown[] = []): Promise<PostgresResult> {
    const connection = await this.reserve()
    try {
      return await connection.query(sql, parameters)
    } finally {
      connection.release()
    }
  }

  transaction<Result>(work: (queries: PostgresQueries) => Promise<Result>): Promise<Result> {
    return this.#repeat(work, undefined)
  }

  longTransaction<Result>(
    work: (queries: PostgresQueries) => Promise<Result>,
    statementTimeoutMs: number,
  ): Promise<Result> {
    const limit = Math.round(statementTimeoutMs)
    const read = async (queries: PostgresQueries) => {
      await queries.query(`set local statement_timeout = ${limit}`)
      await queries.query('set local transaction isolation level repeatable read')
      return work(queries)
    }
    return this.#longWork.run(() => this.#repeat(read, statementTimeoutMs))
  }

  async #repeat<Result>(
    work: (queries: PostgresQueries) => Promise<Result>,
    statementTimeoutMs: number | undefined,
  ): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      const connection = await this.#connect()
      try {
        connection.statementTimeoutMs = statementTimeoutMs
        return await connection.transact(work)
      } catch (error) {
        const isOver = connection.endedForSilence || (error instanceof Error && isRepeatable(error.cause))
        if (tries >= MAX_TRIES || !isOver) throw error
      } finally {
        connection.release()
      }
    }
  }

  reserve(): Promise<ReservedConnection> {
    return this.#connect()
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  /**
   * While the database cannot be reached, one call at a time tries to connect and all others fail at once. This way
   * no call waits for a connection that will not open, and a database that is back does not receive all waiting calls
   * at once.
   */
  async #connect(): Promise<PooledConnection> {
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs < this.#awayUntilMs) throw storeUnavailable(`the database ${this.name} cannot be reached`)
    if (this.#pauseMs > 0) this.#delayNext(nowMs)
    try {
      const client = await this.#pool.connect()
      this.#pauseMs = 0
      this.#awayUntilMs = Number.NEGATIVE_INFINITY
      return new PooledConnection(client, this.name)
    } catch (error) {
      this.#pauseMs = Math.min(Math.max(2 * this.#pauseMs, FIRST_PAUSE_MS), MAX_PAUSE_MS)
      this.#delayNext(this.#options.clock.monotonicMs())
      throw readPostgresFault(this.name, error)
    }
  }

  #delayNext(nowMs: number): void {
    this.#awayUntilMs = nowMs + this.#pauseMs * (0.5 + this.#options.chance() / 2)
  }
}

/** Limits how many tasks run at once. Further tasks wait, in the order of the calls. */
class WorkLimit {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(maxRunning: number) {
    this.#free = maxRunning
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}

class PooledConnection implements ReservedConnection {
  readonly #client: PoolClient
  readonly #name: string
  /** The timeout of a statement, where it differs from the usual one. */
  statementTimeoutMs: number | undefined
  /** Whether the server ended the connection and its transaction because nothing was sent for too long. */
  endedForSilence = false
  #isBroken = false
  #isReleased = false

  constructor(client: PoolClient, name: string) {
    this.#client = client
    this.#name = name
    client.on('error', this.#onError)
  }

  async query(sql: string, parameters: readonly unknown[] = []): Promise<PostgresResult> {
    try {
      const statement = { text: sql, values: parameters.map(storedParameter), ...this.#answerLimit() }
      const { rows, rowCount } = await this.#client.query<Record<string, unknown>>(statement)
      return { rows, count: rowCount ?? 0 }
    } catch (error) {
      this.#isBroken ||= endsConnection(error)
      throw readPostgresFault(this.#name, error)
    }
  }

  #answerLimit() {
    return this.statementTimeoutMs === undefined ? {} : { query_timeout: 2 * this.statementTimeoutMs }
  }

  async transact<Result>(work: (queries: PostgresQueries) => Promise<Result>): Promise<Result> {
    await this.query('begin')
    try {
      const result = await work(this)
      await this.query('commit')
      return result
    } catch (error) {
      await this.#rollBack(error)
      throw error
    }
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#client.off('error', this.#onError)
    this.#client.release(this.#isBroken)
  }

  /** Closes a connection that cannot be rolled back, so that its next user does not find an open transaction. */
  async #rollBack(cause: unknown): Promise<void> {
    if (this.#isBroken) return
    try {
      await this.#client.query('rollback')
    } catch (error) {
      this.#isBroken = true
      if (stateOf(error) !== undefined) throw new AggregateError([cause, error], 'a transaction stays open')
    }
  }

  readonly #onError = (error: unknown): void => {
    this.#isBroken = true
    this.endedForSilence ||= isSilence(error)
  }
}

function storedParameter(value: unknown): unknown {
  return typeof value === 'string' ? storedText(value) : value
}
