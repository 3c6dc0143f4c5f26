import { innerReasonOf } from '../../canonical/failure.ts'
import type { Clock, Timer } from '../../kit/time/clock.ts'
import type { RemoteObject, RemoteObjectStore } from '../../stored-answers/remote-object.ts'
import { type FollowedBatch, nextPollAtMs } from './follow-batch.ts'
import type { ObjectDependencies } from './object-input.ts'

export interface BatchPollerOptions {
  /** The current parts that serve requests. */
  readonly dependencies: () => ObjectDependencies
  /** The functions that check batches, by the type of the batch. */
  readonly looks: Readonly<Record<'batch' | 'message-batch', LookAtBatch>>
  readonly remoteObjects: Pick<RemoteObjectStore, 'findDue' | 'update' | 'prune'>
  readonly clock: Clock
  /** Whether this process looks at batches. One of several processes does. */
  readonly isMine: () => boolean
  readonly warn: (message: string) => void
}

/** Asks the provider for the state of a batch, and stores the state. Rejects if the state cannot be read. */
export type LookAtBatch = (
  batch: RemoteObject,
  dependencies: ObjectDependencies,
) => Promise<Pick<FollowedBatch, 'fault'>>

const TICK_MS = 15_000
const BATCHES_A_TICK = 20
const PRUNE_EVERY_TICKS = 40

/**
 * Asks providers for the state of batches, so that a batch is billed even if its caller never reads it. Due batches are
 * in the store, so that a restart changes nothing.
 */
export class BatchPoller {
  readonly #options: BatchPollerOptions
  readonly #timer: Timer
  #ticks = 0
  #running: Promise<void> = Promise.resolve()
  readonly #closing = new AbortController()

  constructor(options: BatchPollerOptions) {
    this.#options = options
    this.#timer = options.clock.startTimer(TICK_MS, () => {
      this.#running = this.#tick()
    })
  }

  /** Ends the check that is in progress, and waits until nothing more is written. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#timer.cancel()
    await this.#running
  }

  async #tick(): Promise<void> {
    const { remoteObjects, clock, isMine, warn } = this.#options
    const { signal } = this.#closing
    try {
      const due = isMine() ? await remoteObjects.findDue(clock.nowMs(), BATCHES_A_TICK) : []
      for (const batch of due) if (!signal.aborted) await this.#look(batch)
      if (isMine() && this.#ticks % PRUNE_EVERY_TICKS === 0) await remoteObjects.prune(clock.nowMs())
      this.#ticks += 1
    } catch (error) {
      warn(`batches cannot be looked at: ${innerReasonOf(error)}; this is retried`)
    }
    if (!signal.aborted) this.#timer.restart()
  }

  async #look(batch: RemoteObject): Promise<void> {
    const { remoteObjects, clock, looks } = this.#options
    const { detail } = batch
    if (detail.type !== 'batch' && detail.type !== 'message-batch') return
    const ending = this.#closing.signal
    const isOver = () => clock.nowMs() >= batch.expiresAtMs
    const looked = { ...batch, detail: { ...detail, polls: detail.polls + 1 } }
    try {
      const { fault } = await looks[detail.type](looked, { ...this.#options.dependencies(), ending })
      if (fault !== undefined && isOver()) this.#warnOfEstimate(batch, fault)
    } catch (error) {
      // The next process looks at the batch at once.
      if (ending.aborted) return
      const next = isOver() ? undefined : nextPollAtMs(looked, clock.nowMs())
      if (next === undefined) this.#warnOfEstimate(batch, error)
      await remoteObjects.update({ ...looked, pollAtMs: next })
    }
  }

  #warnOfEstimate({ id }: RemoteObject, error: unknown): void {
    this.#options.warn(
      `the batch ${id} could not be billed by its output, so that its estimate stays: ${innerReasonOf(error)}`,
    )
  }
}
