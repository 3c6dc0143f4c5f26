import type { JsonObject } from '../../kit/json/json.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { Epoch } from './meter-store.ts'

/** The facts that a node states of itself, for people and for the other nodes. */
export interface NodeDetails {
  /** The name by which people know the node; it may come back in another epoch. */
  readonly id: string
  readonly version: string
  /** A fingerprint of the configuration file: nodes with different files serve different things. */
  readonly fileFingerprint: string
  readonly leases: number
  readonly streams: number
  readonly draining: boolean
  /** Whether it accepts requests. */
  readonly ready: boolean
  /** The version of the configuration that it serves; undefined of a node that does not say it. */
  readonly configVersion?: number | undefined
  /** Milliseconds by which the node's clock is ahead of the database's. */
  readonly clockAheadMs: number
}

/** A node that lives, as all see it. */
export interface LiveNode extends NodeDetails {
  readonly epoch: Epoch
  readonly startedAtMs: number
  readonly seenAtMs: number
}

export interface Joined {
  readonly epoch: Epoch
  /** The time by the clock that all nodes share, in the middle of the call. */
  readonly nowMs: number
  /** The nodes that live, this one among them. */
  readonly count: number
}

/** Marks of the secrets that all nodes must have in common, by their names. They do not give them away. */
export type SecretMarks = Readonly<Record<string, string>> & JsonObject

/**
 * The nodes that share a database. A node renews its epoch; one that is silent for longer than it is valid is ended by
 * the others. Every method fails with `store_unavailable`.
 */
export interface NodeRegistry {
  join(details: NodeDetails, secrets: SecretMarks): Promise<Joined>
  /** Fails with `EpochEndedError` where others have ended the epoch. Ends those of others who are silent. */
  renew(epoch: Epoch, details: NodeDetails): Promise<Pick<Joined, 'nowMs' | 'count'>>
  /** Ends the epoch of this process itself, which writes nothing more in it. */
  leave(epoch: Epoch): Promise<void>
  list(): Promise<readonly LiveNode[]>
}

/** The time for which an epoch is valid after it was renewed, and by how much others wait for longer. */
export const EPOCH_VALID_MS = 15_000
export const EPOCH_MARGIN_MS = 5_000
export const RENEW_EVERY_MS = 5_000
/**
 * The time after the end of an epoch in which its process may still settle what it left open, if it only stalled. After
 * it an estimate is written.
 */
export const ORPHANS_AFTER_MS = MINUTE_MS
