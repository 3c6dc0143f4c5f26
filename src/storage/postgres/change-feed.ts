import type { Client } from 'pg'
import type { DatabaseSettings } from '../../config/database-schema.ts'
import type { Clock, Timer } from '../../kit/time/clock.ts'
import { loadDriver } from './load-driver.ts'
import type { PostgresDatabase, PostgresResult } from './open-postgres.ts'
import { createConnectionConfig } from './pool-config.ts'

/** The tables that nodes cache in memory and that another node may change. */
export type ChangeTopic = 'keys' | 'config_versions' | 'credit_grants' | 'budget_changes'

export interface ChangeFeedOptions {
  readonly database: PostgresDatabase
  readonly settings: DatabaseSettings
  readonly clock: Clock
  /** Reads the changed data again. Called again later if it fails. */
  readonly onChange: (topic: ChangeTopic) => Promise<void>
  /** Called where another node needs the unused part of this node's lease on a counter. */
  readonly onNeed: (counter: string) => void
  /** Reads the events that other nodes have sent. */
  readonly onEvents: () => Promise<void>
}

const CHANGES = 'headgate'
const NEEDS = 'headgate_leases'
/** The polling interval for the versions of topics, whether or not changes are announced. */
const POLL_MS = 2_000
/** PostgreSQL refuses longer notification payloads. */
const MAX_MESSAGE_BYTES = 7_900

/**
 * Detects changes by other nodes. Announced changes are detected at once. Where a connection is broken, or a pooler
 * in between does not forward announcements, changes are detected within seconds from the versions of topics.
 */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions
  readonly #seen = new Map<CountedTopic, number>()
  /** The newest known version of each topic. */
  readonly #wanted = new Map<CountedTopic, number>()
  readonly #readings = new Map<CountedTopic, Promise<void>>()
  #listener: Client | undefined
  #listening: Promise<void> | undefined
  #polling: Promise<void> | undefined
  #isPollDue = false
  #timer: Timer | undefined
  #isStopped = false

  constructor(options: ChangeFeedOptions) {
    this.#options = options
  }

  /**
   * Treats the current versions as read, and follows the changes from there. Events are read from where their reader
   * has begun, which was earlier.
   */
  async start(): Promise<void> {
    for (const [topic, version] of await this.#readVersions())
      if (topic !== 'node_events') this.#seen.set(topic, version)
    await this.#listen()
    this.#schedule()
  }

  /** Asks the other nodes to return the unused parts of their leases on these counters. */
  announceNeed(counters: readonly string[]): void {
    for (const counter of counters) {
      if (Buffer.byteLength(counter) > MAX_MESSAGE_BYTES) continue
      // Nodes that miss the notification return their unused parts at their next tick.
      this.#options.database.query('select pg_notify($1, $2)', [NEEDS, counter]).catch(() => undefined)
    }
  }

  /** Polls at once. Fulfilled when it is known which topics have changed; reading them starts then. */
  poll(): Promise<void> {
    this.#isPollDue = true
    this.#polling ??= this.#run().finally(() => {
      this.#polling = undefined
    })
    return this.#polling
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#polling
    await Promise.all(this.#readings.values())
    // The failure is ignored, since the connection ends with the process.
    await this.#listener?.end().catch(() => undefined)
  }

  #schedule(): void {
    if (this.#isStopped) return
    this.#timer = this.#options.clock.startTimer(POLL_MS, () => {
      void this.poll().finally(() => this.#schedule())
      this.#listenAgain()
    })
  }

  /** Opens the listening connection again. A connection that takes long, or never opens, delays no poll. */
  #listenAgain(): void {
    if (this.#listener !== undefined) return
    this.#listening ??= this.#listen().finally(() => {
      this.#listening = undefined
    })
  }

  async #run(): Promise<void> {
    while (this.#isPollDue && !this.#isStopped) {
      this.#isPollDue = false
      // The error is ignored, since the next poll tries again.
      for (const [topic, version] of await this.#readVersions().catch(() => [])) this.#follow(topic, version)
    }
  }

  /** Topics are read independently: a topic that takes long or fails delays no other. */
  #follow(topic: CountedTopic, version: number): void {
    this.#wanted.set(topic, version)
    if (version !== this.#seen.get(topic) && !this.#readings.has(topic))
      this.#readings.set(topic, this.#read(topic))
  }

  async #read(topic: CountedTopic): Promise<void> {
    try {
      for (let wanted = this.#wanted.get(topic); wanted !== undefined; wanted = this.#newerThanSeen(topic)) {
        await (topic === 'node_events' ? this.#options.onEvents() : this.#options.onChange(topic))
        this.#seen.set(topic, wanted)
      }
    } catch {
      // The error is ignored: the version is not marked as seen, so that the next poll reads it again.
    } finally {
      this.#readings.delete(topic)
    }
  }

  #newerThanSeen(topic: CountedTopic): number | undefined {
    const wanted = this.#wanted.get(topic)
    return wanted === this.#seen.get(topic) || this.#isStopped ? undefined : wanted
  }

  async #readVersions(): Promise<readonly (readonly [CountedTopic, number])[]> {
    const rows = await this.#askByListener('select topic, version from changes')
    return rows.flatMap(({ topic, version }) => {
      const known = topics.find((each) => each === topic)
      return known === undefined ? [] : [[known, Number(version)] as const]
    })
  }

  /**
   * Uses the listening connection, since all connections of the pool may be in use for seconds. A connection that no
   * longer answers is closed.
   */
  async #askByListener(sql: string): Promise<PostgresResult['rows']> {
    const listener = this.#listener
    if (listener !== undefined)
      try {
        const { rows } = await listener.query<Record<string, unknown>>(sql)
        return rows
      } catch {
        // The error is ignored, since the pool is used instead.
        if (this.#listener === listener) this.#listener = undefined
        // The error is ignored, since this connection is no longer used.
        listener.end().catch(() => undefined)
      }
    const { rows } = await this.#options.database.query(sql)
    return rows
  }

  /** Opens a separate connection for notifications. A pool would hand it to others. */
  async #listen(): Promise<void> {
    const { settings } = this.#options
    const driver = await loadDriver()
    const client = new driver.Client(createConnectionConfig(settings, driver))
    const lost = () => {
      if (this.#listener === client) this.#listener = undefined
    }
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === NEEDS) this.#options.onNeed(payload)
      else if (payload.startsWith(`${settings.schema} `)) void this.poll()
    })
    try {
      await client.connect()
      await client.query(`listen ${CHANGES}`)
      await client.query(`listen ${NEEDS}`)
      if (this.#isStopped) await client.end()
      else this.#listener = client
    } catch {
      // The error is ignored, since the next poll tries again. Closing a dead connection may never finish.
      client.end().catch(() => undefined)
    }
  }
}

type CountedTopic = ChangeTopic | 'node_events'

const topics: readonly CountedTopic[] = [
  'keys',
  'config_versions',
  'credit_grants',
  'budget_changes',
  'node_events',
]
