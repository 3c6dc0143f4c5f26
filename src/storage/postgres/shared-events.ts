import type { Clock, Timer } from '../../kit/time/clock.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { Epoch } from '../../metering/leases/epoch.ts'
import { DATABASE_NOW } from './ledger/epochs.ts'
import type { PostgresQueries } from './open-postgres.ts'

export interface NodeEvent {
  readonly topic: string
  readonly content: string
}

export interface SentEvent extends NodeEvent {
  /** A time by the database's clock. */
  readonly sentAtMs: number
}

export interface SharedEventsOptions {
  readonly database: PostgresQueries
  readonly epoch: () => Epoch
  readonly clock: Pick<Clock, 'startTimer'>
  /** Handles an event that another node has sent. */
  readonly onEvent: (event: NodeEvent) => void
  /** Whether this node also reads the events that only one node needs. */
  readonly wantsAll: () => boolean
  /** Whether this node deletes old events. */
  readonly mayPrune: () => boolean
}

/** Urgent events wait this long for other events, to be sent together. */
const URGENT_AFTER_MS = 20
/** Other events are sent without a notification, and read with the next poll. */
const RELAXED_AFTER_MS = 1_000
const RETRY_AFTER_MS = 1_000
const MAX_WAITING = 1_000
const MAX_WAITING_CHARACTERS = 8 * 1024 ** 2
/** Larger events are not sent. */
const MAX_EVENT_CHARACTERS = 1024 ** 2
const PAGE_EVENTS = 200
const PRUNE_EVERY_MS = 10_000
const LIVE_MS = MINUTE_MS
/** The notification channel for changes, as used by the triggers of tables. */
const CHANGES = 'headgate'

/**
 * Sends this node's events to the other nodes, and reads theirs, through a table. Events are numbered in the order of
 * their commits, so that a reader that reads by number misses none. No request waits for events. While the database
 * is unreachable, the newest events wait and the oldest are dropped.
 */
export class SharedEvents {
  readonly #options: SharedEventsOptions
  #waiting: NodeEvent[] = []
  #characters = 0
  #isUrgent = false
  #sendTimer: Timer | undefined
  #sending: Promise<void> | undefined
  #reading: Promise<void> | undefined
  #isReadDue = false
  #seen = 0
  #pruneTimer: Timer | undefined
  #isStopped = false

  constructor(options: SharedEventsOptions) {
    this.#options = options
  }

  /** Starts reading after the newest event. */
  async start(): Promise<void> {
    this.#seen = await this.#readLast()
    this.#schedulePrune()
  }

  /** Queues an event to be sent soon. An event that is too large is dropped. */
  send(event: NodeEvent, how: 'urgent' | 'relaxed'): void {
    if (this.#isStopped || event.content.length > MAX_EVENT_CHARACTERS) return
    this.#waiting.push(event)
    this.#characters += event.content.length
    this.#dropBeyondBounds()
    const isFirstUrgent = how === 'urgent' && !this.#isUrgent
    this.#isUrgent ||= how === 'urgent'
    if (this.#sendTimer === undefined || isFirstUrgent)
      this.#scheduleSend(how === 'urgent' ? URGENT_AFTER_MS : RELAXED_AFTER_MS)
  }

  /** Fulfilled once all events sent until now have been read, or reading them has failed. */
  read(): Promise<void> {
    this.#isReadDue = true
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  /** Returns the events of all nodes, including this one, on these topics that were sent within the last `withinMs`. */
  async readAgain(topics: readonly string[], withinMs: number): Promise<readonly SentEvent[]> {
    const { rows } = await this.#options.database.query(
      `select topic, content, at_ms from node_events where topic = any($1) and at_ms > ${DATABASE_NOW} - $2 order by number`,
      [topics, withinMs],
    )
    return rows.map((row) => ({ ...eventOf(row), sentAtMs: Number(row['at_ms']) }))
  }

  async stop(): Promise<void> {
    this.#pruneTimer?.cancel()
    this.#sendTimer?.cancel()
    this.#sendTimer = undefined
    await this.#sending
    // The error is ignored: unsent events are lost with the process.
    await this.#sendAll().catch(() => undefined)
    this.#isStopped = true
    await this.#reading
  }

  #scheduleSend(delayMs: number): void {
    this.#sendTimer?.cancel()
    if (this.#isStopped) return
    this.#sendTimer = this.#options.clock.startTimer(delayMs, () => {
      this.#sendTimer = undefined
      this.#sending ??= this.#sendAll()
        // A database that does not answer is tried again.
        .catch(() => this.#scheduleSend(RETRY_AFTER_MS))
        .finally(() => {
          this.#sending = undefined
          if (this.#waiting.length > 0 && this.#sendTimer === undefined) this.#scheduleSend(RELAXED_AFTER_MS)
        })
    })
  }

  async #sendAll(): Promise<void> {
    const events = this.#waiting
    if (events.length === 0) return
    const [isUrgent, characters] = [this.#isUrgent, this.#characters]
    this.#waiting = []
    this.#characters = 0
    this.#isUrgent = false
    try {
      await this.#insert(events, isUrgent)
    } catch (error) {
      this.#waiting = [...events, ...this.#waiting]
      this.#characters += characters
      this.#isUrgent ||= isUrgent
      this.#dropBeyondBounds()
      throw error
    }
  }

  /** Locks the row of the last number until the events are committed, so that numbers are in the order of commits. */
  async #insert(events: readonly NodeEvent[], isUrgent: boolean): Promise<void> {
    await this.#options.database.query(
      `with counted as (
         update changes set version = version + $2 where topic = 'node_events' returning version
       ), added as (
         insert into node_events (number, epoch, topic, at_ms, content)
         select counted.version - $2 + sent.position, $1, sent.topic, ${DATABASE_NOW}, sent.content
         from counted, unnest($3::text[], $4::text[]) with ordinality as sent(topic, content, position)
         returning 1
       )
       select case when $5 then pg_notify('${CHANGES}', current_schema() || ' node_events') end
       from (select count(*) from added) as done`,
      [
        this.#options.epoch(),
        events.length,
        events.map(({ topic }) => topic),
        events.map(({ content }) => content),
        isUrgent,
      ],
    )
  }

  async #readAll(): Promise<void> {
    while (this.#isReadDue && !this.#isStopped) {
      this.#isReadDue = false
      const last = await this.#readLast()
      while (this.#seen < last && !this.#isStopped) await this.#readPage(last)
    }
  }

  async #readPage(last: number): Promise<void> {
    const { database, epoch, onEvent, wantsAll } = this.#options
    const { rows } = await database.query(
      `select number, topic, content from node_events
       where number > $1 and number <= $2 and epoch <> $3 and ($4 or topic <> $5) order by number limit ${PAGE_EVENTS}`,
      [this.#seen, last, epoch(), wantsAll(), FOR_ONE_NODE],
    )
    for (const row of rows) {
      // A handler that throws loses only its own event: the next read continues after it.
      this.#seen = Number(row['number'])
      onEvent(eventOf(row))
    }
    if (rows.length < PAGE_EVENTS) this.#seen = last
  }

  async #readLast(): Promise<number> {
    const { rows } = await this.#options.database.query(
      "select version from changes where topic = 'node_events'",
    )
    return Number(rows[0]?.['version'] ?? 0)
  }

  #dropBeyondBounds(): void {
    while (this.#waiting.length > MAX_WAITING || this.#characters > MAX_WAITING_CHARACTERS)
      this.#characters -= this.#waiting.shift()?.content.length ?? 0
  }

  #schedulePrune(): void {
    if (this.#isStopped) return
    this.#pruneTimer = this.#options.clock.startTimer(PRUNE_EVERY_MS, () => {
      void this.#prune().then(() => this.#schedulePrune())
    })
  }

  async #prune(): Promise<void> {
    const { database, mayPrune } = this.#options
    if (!mayPrune()) return
    try {
      await database.query(`delete from node_events where at_ms < ${DATABASE_NOW} - ${LIVE_MS}`)
    } catch {
      // The error is ignored, since the next run deletes the same events.
    }
  }
}

/** The topic of events that only the node that evaluates alerts needs. */
const FOR_ONE_NODE = 'requests-ended'

function eventOf(row: Readonly<Record<string, unknown>>): NodeEvent {
  return { topic: String(row['topic']), content: String(row['content']) }
}
