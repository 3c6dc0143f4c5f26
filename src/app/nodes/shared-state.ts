// The parts of an installation that several processes share: in PostgreSQL, or in the process that owns the files.
import type { MeterStore } from '../../metering/leases/meter-store.ts'
import type { NodeRegistry } from '../../metering/leases/node-registry.ts'
import type { LedgerStore, OpenIntent } from '../../metering/ledger-store.ts'
import type { RateShareStore } from '../../metering/rates/rate-shares.ts'
import type { ChangeFeedOptions } from '../../storage/postgres/change-feed.ts'
import type { BusTopic, ProcessBus } from './process-bus.ts'
import type { SharedNode } from './shared-node.ts'

export interface SharedState {
  readonly store: 'postgres' | 'sqlite'
  readonly node: SharedNode
  readonly nodes: NodeRegistry
  readonly meterStore: MeterStore
  readonly ledger: SharedLedger
  /** The store by which the shares of rate limits follow their use. */
  readonly rateShares: RateShareStore
  readonly work: SharedWork
  /** The number of processes that callers' requests spread over. */
  servingCount(): number
  /** Set once the process follows the others. */
  readonly calls: { announceNeed: (counters: readonly string[]) => void }
  openFeed(options: SharedFeedOptions): SharedFeed
  /** The way in which nodes of a database talk to each other; undefined for the processes of one machine. */
  readonly bus: SharedBus | undefined
}

export interface SharedBus extends ProcessBus {
  /** Gives what all have said on these topics within the last so many milliseconds, in its order. */
  hearAgain(topics: readonly BusTopic[], withinMs: number): Promise<readonly HeardEvent[]>
}

export interface HeardEvent {
  readonly topic: BusTopic
  readonly value: unknown
  readonly sentAtMs: number
}

/** Whether this process does the work that needs doing once. */
export interface SharedWork {
  readonly isMine: () => boolean
  /** Whether this process goes on with what it did: it was its own, and nobody can say whose it is now. */
  readonly mayGoOn: () => boolean
}

export interface SharedLedger extends LedgerStore {
  /** The intents of processes that are gone, for this process to settle. */
  findOrphans(): Promise<readonly OpenIntent[]>
}

/** The handlers of what others change. */
export interface SharedFeedOptions extends Pick<ChangeFeedOptions, 'clock' | 'onChange' | 'onNeed'> {
  /** Called once the store can be reached again. */
  readonly onBack: () => void
}

/** The way in which a process hears of what others change. */
export interface SharedFeed {
  start(): Promise<void>
  stop(): Promise<void>
  /** Asks the other processes to give back what they do not use of these counters. */
  announceNeed(counters: readonly string[]): void
}

/** Shares rate limits evenly: connections are spread so that each process has about as many requests. */
export const evenShares: RateShareStore = { report: async () => [] }
