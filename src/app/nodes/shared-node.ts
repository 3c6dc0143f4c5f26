// The life of this process among the nodes that share a database: it joins, renews its epoch, and begins another one
// where the others have ended it.
import type { SeenNode } from '../../admin/nodes/browse-nodes.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { brand } from '../../kit/brand.ts'
import { stackOf } from '../../kit/errors/stack-of.ts'
import type { Clock, Timer } from '../../kit/time/clock.ts'
import { EpochEndedError } from '../../metering/leases/epoch-ended-error.ts'
import type { Epoch } from '../../metering/leases/meter-store.ts'
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
  /** The figures before the process serves. */
  readonly atStart: NodeFigures
}

/** The figures of a node, which change while it lives. */
export type NodeFigures = Omit<NodeDetails, 'id' | 'version' | 'clockAheadMs'>

/** The figures of a node that does not serve yet. */
export const idleFigures = { leases: 0, streams: 0, draining: false, ready: false }

export interface NodeEvents {
  /** Another epoch has begun: nothing is held and leased in it. */
  readonly onBegun: (epoch: Epoch, validUntilMs: number) => Promise<void>
  readonly onRenewed: (validUntilMs: number) => void
  readonly figures: () => NodeFigures
  readonly warn: (message: string) => void
}

/** The difference between the clocks of a node and the database that is worth a warning, and that keeps it unready. */
const WARN_AHEAD_MS = 2_000
const MAX_AHEAD_MS = 30_000
const RETRY_AFTER_MS = 1_000
const none = brand<Epoch>(0)

export class SharedNode {
  readonly #options: SharedNodeOptions
  #events: NodeEvents | undefined
  #epoch: Epoch | undefined
  #aheadMs = 0
  #hasWarned = false
  #count = 1
  #validUntilMs = 0
  #timer: Timer | undefined
  #working: Promise<void> = Promise.resolve()
  #isStopped = false
  /** Whether the faults of this streak are reported. */
  #hasWarnedOfFault = false

  constructor(options: SharedNodeOptions) {
    this.#options = options
  }

  /** The nodes that live, this one among them. */
  get count(): number {
    return this.#count
  }

  get id(): string {
    return this.#options.id
  }

  /** The epoch that this process has now; none that lives where it could not join. */
  readonly epoch = (): Epoch => this.#epoch ?? none

  /** Wall time by the database's clock. */
  readonly nowMs = (): number => this.#options.clock.nowMs() - this.#aheadMs

  get clockAheadMs(): number {
    return this.#aheadMs
  }

  /** Whether the clock is near enough to the database's for what is counted here to be right. */
  get isClockRight(): boolean {
    return Math.abs(this.#aheadMs) <= MAX_AHEAD_MS
  }

  get validUntilMs(): number {
    return this.#validUntilMs
  }

  /** Joins the others, or fails with what keeps it from that. */
  async join(): Promise<void> {
    const { nodes, clock, secrets } = this.#options
    const sentAtMs = clock.monotonicMs()
    const { epoch, nowMs, count } = await nodes.join(this.#details(), secrets)
    this.#count = count
    this.#adopt(nowMs, sentAtMs)
    this.#epoch = epoch
  }

  /** Renews the epoch from now on. */
  start(events: NodeEvents): void {
    this.#events = events
    this.#warnOfClock()
    this.#schedule(RENEW_EVERY_MS)
  }

  /** Begins another epoch soon. */
  restart(): void {
    this.#epoch = undefined
    this.#schedule(0)
  }

  /** The nodes that live, the oldest first; this one as it is now. */
  async list(): Promise<readonly SeenNode[]> {
    const nodes = await this.#options.nodes.list()
    return nodes.map((node) => {
      const isThis = node.epoch === this.#epoch
      return { ...node, ...(isThis && this.#details()), isThis }
    })
  }

  /** States its figures to the others soon. */
  refresh(): void {
    if (this.#events !== undefined) this.#schedule(0)
  }

  /** Writes nothing more, and leaves: what it has leased goes back at once. */
  async leave(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#working
    const epoch = this.#epoch
    // The others end an epoch that nobody renews.
    if (epoch !== undefined) await this.#options.nodes.leave(epoch).catch(() => undefined)
  }

  #schedule(delayMs: number): void {
    this.#timer?.cancel()
    if (this.#isStopped) return
    this.#timer = this.#options.clock.startTimer(delayMs, () => {
      // One at a time: two that join at once would end each other's epoch.
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

  /** Warns once of each streak of faults. A database that is away is reported by those who ask it. */
  #warnOfFault(error: unknown): void {
    const isAway = error instanceof GatewayError && error.failure.code === 'store_unavailable'
    if (isAway || this.#hasWarnedOfFault) return
    this.#hasWarnedOfFault = true
    this.#events?.warn(
      `this node could not renew its entry among the nodes, and tries again: ${stackOf(error)}`,
    )
  }

  async #work(): Promise<void> {
    if (this.#epoch === undefined) return this.#begin()
    try {
      await this.#renew(this.#epoch)
    } catch (error) {
      if (!(error instanceof EpochEndedError)) throw error
      this.#epoch = undefined
      this.#events?.warn(
        'this node was silent for so long that the others ended what it had leased; it begins anew',
      )
      await this.#begin()
    }
  }

  async #renew(epoch: Epoch): Promise<void> {
    const sentAtMs = this.#options.clock.monotonicMs()
    const { nowMs, count } = await this.#options.nodes.renew(epoch, this.#details())
    this.#count = count
    this.#adopt(nowMs, sentAtMs)
    this.#events?.onRenewed(this.#validUntilMs)
    this.#warnOfClock()
  }

  async #begin(): Promise<void> {
    await this.join()
    await this.#events?.onBegun(this.epoch(), this.#validUntilMs)
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
