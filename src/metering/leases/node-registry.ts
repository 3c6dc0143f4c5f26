import type { JsonObject } from '../../kit/json/json.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { Epoch } from './epoch.ts'

/** The facts that a node publishes about itself, for people and for the other nodes. */
export interface NodeDetails {
  /** The name of the node for people. A restarted node may use it again in another epoch. */
  readonly id: string
  readonly version: string
  /** A fingerprint of the configuration file. Nodes with different files behave differently. */
  readonly fileFingerprint: string
  readonly leases: number
  readonly streams: number
  readonly draining: boolean
  /** Whether the node accepts requests. */
  readonly ready: boolean
  /** The version of the configuration that the node serves; undefined if the node does not report one. */
  readonly configVersion?: number | undefined
  /** The milliseconds by which the node's clock is ahead of the database's clock. */
  readonly clockAheadMs: number
}

/** A live node, as all nodes see it. */
export interface LiveNode extends NodeDetails {
  readonly epoch: Epoch
  readonly startedAtMs: number
  readonly seenAtMs: number
}

export interface Joined {
  readonly epoch: Epoch
  /** The time on the clock that all nodes share, in the middle of the call. */
  readonly nowMs: number
  /** The number of live nodes, including this one. */
  readonly count: number
}

/**
 * Fingerprints of the secrets that all nodes must share, by the names of the secrets. They do not reveal the secrets.
 */
export type SecretMarks = Readonly<Record<string, string>> & JsonObject

/**
 * The nodes that share a database. A node renews its epoch. If it does not renew for longer than an epoch is valid, the
 * other nodes end its epoch. Every method fails with `store_unavailable`.
 */
export interface NodeRegistry {
  join(details: NodeDetails, secrets: SecretMarks): Promise<Joined>
  /**
   * Renews an epoch, and ends the epochs of other nodes that no longer renew. Fails with `EpochEndedError` if another
   * node has ended this epoch.
   */
  renew(epoch: Epoch, details: NodeDetails): Promise<Pick<Joined, 'nowMs' | 'count'>>
  /** Ends the epoch of this process. The process must not write in it afterwards. */
  leave(epoch: Epoch): Promise<void>
  list(): Promise<readonly LiveNode[]>
}

/**
 * The time for which an epoch is valid after its renewal, and the additional time that other nodes wait before they end
 * it.
 */
export const EPOCH_VALID_MS = 15_000
export const EPOCH_MARGIN_MS = 5_000
export const RENEW_EVERY_MS = 5_000
/**
 * The time after the end of an epoch in which a process that only stalled may still settle its open intents. After
 * that, they are settled with an estimate.
 */
export const ORPHANS_AFTER_MS = MINUTE_MS
