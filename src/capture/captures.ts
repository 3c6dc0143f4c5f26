import type { OperationId } from '../canonical/format.ts'
import type { BodyBytes } from '../kit/json/body-bytes.ts'
import type { Clock } from '../kit/time/clock.ts'
import { MINUTE_MS } from '../kit/time/time-units.ts'
import { CaptureMemory } from './capture-memory.ts'
import { type CapturedCaller, captureModeOf } from './capture-mode.ts'
import type { CaptureMode, CapturePolicy } from './capture-schema.ts'
import type { CaptureStore, CaptureSummary, StoredCapture } from './capture-store.ts'
import { type GatheredCapture, OpenCapture } from './open-capture.ts'

/** The maximum memory for captures that are being gathered or wait to be stored. */
const MAX_HELD_CAPTURE_BYTES = 64 * 1024 ** 2
const PRUNE_EVERY_MS = 10 * MINUTE_MS
const WARN_EVERY_MS = MINUTE_MS

/** The gathered bytes, and the facts known when their request ended. */
export interface EndedCapture extends Pick<GatheredCapture, 'prompt' | 'answer' | 'isCut'> {
  readonly summary: CaptureSummary
  readonly operation: OperationId
  readonly isStream: boolean
  readonly maxBodyBytes: number
}

/**
 * Folds, redacts, compresses and encrypts outside the thread that serves requests. Rejects where that is not
 * possible.
 */
export type PrepareCapture = (ended: EndedCapture) => Promise<StoredCapture>

export interface CaptureReports {
  /** Counts the outcome of a capture. */
  counted(outcome: 'stored' | 'dropped' | 'failed'): void
  warn(message: string): void
}

export interface CapturesOptions {
  readonly policy: CapturePolicy
  readonly prepare: PrepareCapture
  readonly store: Pick<CaptureStore, 'append' | 'prune'>
  /** Whether the disk has room for data that is not essential. */
  readonly mayWrite: () => boolean
  readonly clock: Clock
  readonly reports: CaptureReports
  readonly maxHeldBytes?: number
}

export interface CaptureRequest {
  readonly caller: CapturedCaller
  readonly body: BodyBytes
}

type Waiting =
  | { readonly type: 'capture'; readonly ended: EndedCapture; readonly heldBytes: number }
  /** Marks a position in the queue; `onReached` is called when all captures before it are done. */
  | { readonly type: 'mark'; readonly onReached: () => void }

/** The captures of this process: decides which requests are captured, and queues captures to be stored. */
export class Captures {
  readonly #options: CapturesOptions
  readonly #memory: CaptureMemory
  readonly #waiting: Waiting[] = []
  #policy: CapturePolicy
  #storing: Promise<void> | undefined
  #prunedAtMs = Number.NEGATIVE_INFINITY
  #warnedAtMs = Number.NEGATIVE_INFINITY
  #droppedSinceWarning = 0

  constructor(options: CapturesOptions) {
    this.#options = options
    this.#policy = options.policy
    this.#memory = new CaptureMemory(options.maxHeldBytes ?? MAX_HELD_CAPTURE_BYTES)
  }

  get policy(): CapturePolicy {
    return this.#policy
  }

  get heldBytes(): number {
    return this.#memory.held
  }

  change(policy: CapturePolicy): void {
    this.#policy = policy
  }

  modeOf(caller: CapturedCaller): CaptureMode {
    return captureModeOf(this.#policy, caller)
  }

  /** Undefined where nothing of the request is captured, which is the usual case. */
  open({ caller, body }: CaptureRequest): OpenCapture | undefined {
    const mode = this.modeOf(caller)
    if (mode === 'off') return undefined
    const { maxBodyBytes } = this.#policy
    return new OpenCapture({ mode, memory: this.#memory, maxBodyBytes }, body)
  }

  /** Queues the capture of a request that has ended. Nothing waits for it to be stored. */
  end(capture: OpenCapture, facts: Pick<EndedCapture, 'summary' | 'operation' | 'isStream'>): void {
    const gathered = capture.end()
    if (gathered === undefined || !this.#options.mayWrite()) {
      if (gathered !== undefined) this.#memory.release(gathered.heldBytes)
      this.#drop()
      return
    }
    const { heldBytes, ...bodies } = gathered
    const { maxBodyBytes } = this.#policy
    this.#waiting.push({ type: 'capture', ended: { ...bodies, ...facts, maxBodyBytes }, heldBytes })
    this.#storing ??= this.#storeAll()
  }

  /**
   * Deletes captures beyond the age and size limits of the policy, unless that was done in the last `PRUNE_EVERY_MS`.
   */
  async prune(): Promise<void> {
    const { clock, store } = this.#options
    const nowMs = clock.nowMs()
    if (nowMs - this.#prunedAtMs < PRUNE_EVERY_MS) return
    this.#prunedAtMs = nowMs
    const { keepMs, maxBytes } = this.#policy
    await store.prune({ endedBeforeMs: nowMs - keepMs, maxBytes })
  }

  /** Fulfilled once all captures that ended before are stored or given up. */
  async flush(): Promise<void> {
    if (this.#storing === undefined) return
    await new Promise<void>((onReached) => this.#waiting.push({ type: 'mark', onReached }))
  }

  async #storeAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (next.type === 'mark') {
        next.onReached()
        continue
      }
      await this.#storeOne(next.ended)
      this.#memory.release(next.heldBytes)
    }
    this.#storing = undefined
  }

  async #storeOne(ended: EndedCapture): Promise<void> {
    const { prepare, store, reports } = this.#options
    try {
      const capture = await prepare(ended)
      await store.append([capture])
      reports.counted('stored')
      await this.prune()
    } catch (error) {
      reports.counted('failed')
      this.#warn(`a capture cannot be stored: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  #drop(): void {
    this.#options.reports.counted('dropped')
    this.#droppedSinceWarning += 1
    const count = this.#droppedSinceWarning
    if (this.#warn(`${count} captures were dropped: there is no room for them in memory or on the disk`))
      this.#droppedSinceWarning = 0
  }

  /** Returns whether the warning was logged: at most one a minute. */
  #warn(message: string): boolean {
    const nowMs = this.#options.clock.nowMs()
    if (nowMs - this.#warnedAtMs < WARN_EVERY_MS) return false
    this.#warnedAtMs = nowMs
    this.#options.reports.warn(message)
    return true
  }
}
