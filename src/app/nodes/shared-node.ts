// The membership of this process among the nodes that share a database. It joins, renews its epoch, and begins another
// epoch if the other nodes have ended it.
import type { SeenNode } from '../../admin/nodes/browse-nodes.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { brand } from '../../kit/brand.ts'
import { stackOf } from '../../kit/errors/stack-of.ts'
import type { Clock, Timer } from '../../kit/time/clock.ts'
import type { Epoch } from '../../metering/leases/epoch.ts'
import { EpochEndedError } from '../../metering/leases/epoch-ended-error.ts'
import {
  EPOCH_VALID_MS,
  type NodeDetails,
  type NodeRegistry,
  RENEW_EVERY_MS,
  type SecretMarks,
} from '../../metering/leases/node-registry.ts'

export interface SharedNodeOptions {
  readonly nodes: NodeRegistry
  readonly clock: Clock
  readonly secrets: SecretMarks
  readonly id: string
  readonly version: string
  /** The figures to publish before the process serves. */
  readonly atStart: NodeFigures
}

/** The figures of a node that change during its life. */
export type NodeFigures = Omit<NodeDetails, 'id' | 'version' | 'clockAheadMs'>

/** The figures of a node that does not serve yet. */
export const idleFigures = { leases: 0, streams: 0, draining: false, ready: false }

export interface NodeEvents {
  /** Called when another epoch has begun, without any holds and leases. */
  readonly onBegun: (epoch: Epoch, validUntilMs: number) => Promise<void>
  readonly onRenewed: (validUntilMs: number) => void
  readonly figures: () => NodeFigures
  readonly warn: (message: string) => void
}

/**
 * The differences between the clocks of the node and the database: the first causes a warning, the second makes the
 * node unready.
 */
const WARN_AHEAD_MS = 2_000
const MAX_AHEAD_MS = 30_000
const RETRY_AFTER_MS = 1_000
const none = brand<Epoch>(0)

export class SharedNode {
  readonly #options: SharedNodeOptions
  #events: NodeEvents | undefined
  #epoch: Epoch | undefined
  /** Whether `onBegun` has succeeded for the epoch. The first epoch is begun where the node is started. */
  #hasBegun = true
  #aheadMs = 0
  #hasWarned = false
  #count = 1
  #validUntilMs = 0
  #timer: Timer | undefined
  #working: Promise<void> = Promise.resolve()
  #isStopped = false
  /** Whether the current series of faults was reported. */
  #hasWarnedOfFault = false

  constructor(options: SharedNodeOptions) {
    this.#options = options
  }

  /** The number of live nodes, including this one. */
  get count(): number {
    return this.#count
  }

  get id(): string {
    return this.#options.id
  }

  /** The current epoch of this process. If it could not join, an epoch that is never live. */
  readonly epoch = (): Epoch => this.#epoch ?? none

  /** Wall time on the database's clock. */
  readonly nowMs = (): number => this.#options.clock.nowMs() - this.#aheadMs

  get clockAheadMs(): number {
    return this.#aheadMs
  }

  /** Whether the clock is close enough to the database's clock for correct metering. */
  get isClockRight(): boolean {
    return Math.abs(this.#aheadMs) <= MAX_AHEAD_MS
  }

  get validUntilMs(): number {
    return this.#validUntilMs
  }

  /** Joins the other nodes. Fails with the reason if that is not possible. */
  async join(): Promise<void> {
    const { nodes, clock, secrets } = this.#options
    const sentAtMs = clock.monotonicMs()
    const { epoch, nowMs, count } = await nodes.join(this.#details(), secrets)
    this.#count = count
    this.#adopt(nowMs, sentAtMs)
    this.#epoch = epoch
  }

  /** Starts to renew the epoch. The first renewal is soon, since it publishes that the node serves. */
  start(events: NodeEvents): void {
    this.#events = events
    this.#warnOfClock()
    this.#schedule(0)
  }

  /** Begins another epoch soon. */
  restart(): void {
    this.#epoch = undefined
    this.#schedule(0)
  }

  /** The live nodes, oldest first. This node has its current figures. */
  async list(): Promise<readonly SeenNode[]> {
    const nodes = await this.#options.nodes.list()
    return nodes.map((node) => {
      const isThis = node.epoch === this.#epoch
      return { ...node, ...(isThis && this.#details()), isThis }
    })
  }

  /** Publishes the current figures of this node soon. */
  refresh(): void {
    if (this.#events !== undefined) this.#schedule(0)
  }

  /** Stops renewing, and leaves. The leases of this node are released at once. */
  async leave(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#working
    const epoch = this.#epoch
    // If that fails, the other nodes end the epoch, since it is no longer renewed.
    if (epoch !== undefined) await this.#options.nodes.leave(epoch).catch(() => undefined)
  }

  #schedule(delayMs: number): void {
    this.#timer?.cancel()
    if (this.#isStopped) return
    this.#timer = this.#options.clock.startTimer(delayMs, () => {
      // One run at a time: two concurrent joins would end each other's epoch.
      const work = this.#working.then(() => this.#work())
      this.#working = work.then(
        () => {
          this.#hasWarnedOfFault = false
          this.#schedule(RENEW_EVERY_MS)
        },
        (error: unknown) => {
          this.#warnOfFault(error)
          this.#schedule(RETRY_AFTER_MS)
        },
      )
    })
  }

  /** Warns once in each series of faults. An unavailable database is reported by its other users. */
  #warnOfFault(error: unknown): void {
    const isAway = error instanceof GatewayError && error.failure.code === 'store_unavailable'
    if (isAway || this.#hasWarnedOfFault) return
    this.#hasWarnedOfFault = true
    this.#events?.warn(
      `this node could not renew its entry among the nodes, and tries again: ${stackOf(error)}`,
    )
  }

  async #work(): Promise<void> {
    if (this.#epoch === undefined) return this.#joinAgain()
    try {
      await this.#renew(this.#epoch)
    } catch (error) {
      if (!(error instanceof EpochEndedError)) throw error
      this.#epoch = undefined
      this.#events?.warn(
        'this node was silent for so long that the others ended what it had leased; it begins again',
      )
      await this.#joinAgain()
    }
  }

  async #renew(epoch: Epoch): Promise<void> {
    const sentAtMs = this.#options.clock.monotonicMs()
    const { nowMs, count } = await this.#options.nodes.renew(epoch, this.#details())
    this.#count = count
    this.#adopt(nowMs, sentAtMs)
    if (this.#hasBegun) this.#events?.onRenewed(this.#validUntilMs)
    else await this.#begin()
    this.#warnOfClock()
  }

  async #joinAgain(): Promise<void> {
    this.#hasBegun = false
    await this.join()
    await this.#begin()
  }

  async #begin(): Promise<void> {
    await this.#events?.onBegun(this.epoch(), this.#validUntilMs)
    this.#hasBegun = true
  }

  #adopt(nowMs: number, sentAtMs: number): void {
    const { clock } = this.#options
    const tookMs = clock.monotonicMs() - sentAtMs
    this.#aheadMs = Math.round(clock.nowMs() - tookMs / 2 - nowMs)
    this.#validUntilMs = sentAtMs + EPOCH_VALID_MS
  }

  #warnOfClock(): void {
    const isFar = Math.abs(this.#aheadMs) > WARN_AHEAD_MS
    if (isFar && !this.#hasWarned)
      this.#events?.warn(
        `the clock of this machine is ${Math.abs(this.#aheadMs) / 1_000} s ${this.#aheadMs > 0 ? 'ahead of' : 'behind'} the database's; set it, or beyond ${MAX_AHEAD_MS / 1_000} s nothing is served`,
      )
    this.#hasWarned = isFar
  }

  #details(): NodeDetails {
    const { id, version, atStart } = this.#options
    return { id, version, ...(this.#events?.figures() ?? atStart), clockAheadMs: this.#aheadMs }
  }
}
