// The parts of an installation that several processes share, in PostgreSQL or in the process that owns the files.
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
  /** The store through which the shares of rate limits follow their use. */
  readonly rateShares: RateShareStore
  readonly work: SharedWork
  /** The number of processes among which callers' requests are distributed. */
  servingCount(): number
  /** Replaced when the process starts to follow the others. */
  readonly calls: { announceNeed: (counters: readonly string[]) => void }
  openFeed(options: SharedFeedOptions): SharedFeed
  /** The bus between the nodes of a database; undefined for the processes of one machine. */
  readonly bus: SharedBus | undefined
}

export interface SharedBus extends ProcessBus {
  /** Returns the events that all nodes published on these topics within the last `withinMs`, in order. */
  hearAgain(topics: readonly BusTopic[], withinMs: number): Promise<readonly HeardEvent[]>
}

export interface HeardEvent {
  readonly topic: BusTopic
  readonly value: unknown
  readonly sentAtMs: number
}

/** Whether this process does the work that only one process should do. */
export interface SharedWork {
  readonly isMine: () => boolean
  /**
   * Whether this process may continue its work: the work was its own, and it cannot find out which process has the work
   * now.
   */
  readonly mayGoOn: () => boolean
}

export interface SharedLedger extends LedgerStore {
  /** The intents of dead processes, for this process to settle. */
  findOrphans(): Promise<readonly OpenIntent[]>
}

/** The handlers for changes by other processes. */
export interface SharedFeedOptions extends Pick<ChangeFeedOptions, 'clock' | 'onChange' | 'onNeed'> {
  /** Called when the store can be reached again. */
  readonly onBack: () => void
}

/** The feed of changes by other processes. */
export interface SharedFeed {
  start(): Promise<void>
  stop(): Promise<void>
  /** Asks the other processes to give back the unused amounts of these counters. */
  announceNeed(counters: readonly string[]): void
}

/**
 * Shares rate limits evenly, since connections are distributed so that each process has a similar number of requests.
 */
export const evenShares: RateShareStore = { report: async () => [] }
