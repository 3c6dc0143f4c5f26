import { innerReasonOf } from '../canonical/failure.ts'
import type { Clock, Timer } from '../kit/time/clock.ts'
import { createDelayedSave, type DelayedSave } from '../kit/time/delayed-save.ts'
import { MINUTE_MS } from '../kit/time/time-units.ts'
import type { IdempotencyPolicy } from './idempotency-schema.ts'
import type {
  CallName,
  Claimed,
  FinishedCall,
  IdempotencyStore,
  IdempotentAnswer,
} from './idempotency-store.ts'
import { WriteBuffer } from './write-buffer.ts'

export interface IdempotentCallsOptions {
  readonly store: IdempotencyStore
  readonly clock: Clock
  /** Called once when storing begins to fail, and once when answers are lost because of that. */
  readonly warn: (message: string) => void
  /** The maximum number of bytes that may wait in memory for the database. */
  readonly maxWaitingBytes?: number
}

/** A crash loses the answers of this last span of time. */
const SAVE_AFTER_MS = 50
const PRUNE_EVERY_MS = MINUTE_MS
const PRUNE_IDLE_MS = 600_000
const MAX_WAITING_BYTES = 64 * 1024 ** 2
/** The size of a row besides its content. */
const ROW_BYTES = 512
/** One answer takes at most this part of all bytes, so that it does not evict all others. */
const PART_OF_ONE = 1 / 8

/** The state that a request finds under its name. */
export type OpenedCall<Call> =
  | { readonly type: 'first'; readonly claim: CallClaim<Call> }
  /** A call of the same request is in flight. */
  | { readonly type: 'joins'; readonly call: Call }
  /** The name belongs to another request. */
  | { readonly type: 'conflict' }

/** The claim of the one request that makes the call. The claim ends once: a later call of `end` has no effect. */
export interface CallClaim<Call> {
  readonly call: Call
  /** The outcome of the name in other processes and earlier calls. Rejects where the store cannot say. */
  look(): Promise<Claimed>
  /**
   * Stores the answer, which is repeated from now on. Undefined frees the name, and the next request is carried out
   * again.
   */
  end(answer: IdempotentAnswer | undefined): void
}

interface RunningCall<Call> {
  readonly fingerprint: string
  readonly call: Call
  /** Whether the store may hold the claim of this call. An answer that waits to be stored has its own claim. */
  mayHoldClaim: boolean
  /** Whether the store has not answered yet. A release could overtake the claim, so it waits for the answer. */
  isClaiming: boolean
}

/** The calls in flight that have an idempotency key, and the answers of calls that have ended. */
export class IdempotentCalls<Call> {
  readonly #options: IdempotentCallsOptions
  readonly #saving: DelayedSave
  readonly #pruning: Timer
  readonly #buffer: WriteBuffer<FinishedCall>
  readonly #running = new Map<string, RunningCall<Call>>()
  #policy: IdempotencyPolicy | undefined
  #prunedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: IdempotentCallsOptions, policy: IdempotencyPolicy | undefined) {
    this.#options = options
    this.#policy = policy
    this.#saving = createDelayedSave({
      clock: options.clock,
      saveAfterMs: SAVE_AFTER_MS,
      save: () => this.#save(),
      onFailure: (error) =>
        options.warn(
          `answers for idempotency keys cannot be written: ${innerReasonOf(error)}; they stay in memory and writing is retried`,
        ),
    })
    this.#buffer = new WriteBuffer({
      maxBytes: options.maxWaitingBytes ?? MAX_WAITING_BYTES,
      bytesOf,
      join: (_older, newer) => newer,
      onDrop: ({ name }) => this.#release(name),
      onLoss: () =>
        options.warn(
          'the database is behind, so the oldest of the answers for idempotency keys that wait to be stored are lost',
        ),
    })
    // Expired calls are deleted even while no request arrives.
    this.#pruning = options.clock.startTimer(PRUNE_IDLE_MS, () => this.#saving.schedule())
    this.#saving.schedule()
  }

  /** Whether idempotency keys have an effect. */
  get isOn(): boolean {
    return this.#policy !== undefined
  }

  /** A longer answer is not stored. */
  get maxAnswerBytes(): number {
    return (this.#policy?.maxBytes ?? 0) * PART_OF_ONE
  }

  /** Applies the limits of another configuration. */
  change(policy: IdempotencyPolicy | undefined): void {
    this.#policy = policy
    this.#prunedAtMs = Number.NEGATIVE_INFINITY
    this.#saving.schedule()
  }

  /** Opens a call synchronously, so that of two requests under one name only one is the first. */
  open(name: CallName, fingerprint: string, start: () => Call): OpenedCall<Call> {
    const text = textOf(name)
    const running = this.#running.get(text)
    if (running !== undefined)
      return running.fingerprint === fingerprint
        ? { type: 'joins', call: running.call }
        : { type: 'conflict' }
    const own: RunningCall<Call> = { fingerprint, call: start(), mayHoldClaim: false, isClaiming: false }
    this.#running.set(text, own)
    return {
      type: 'first',
      claim: {
        call: own.call,
        look: () => this.#look(name, own),
        end: (answer) => {
          if (this.#running.get(text) !== own) return
          this.#running.delete(text)
          if (answer !== undefined) this.#add(name, answer)
          else if (own.mayHoldClaim && !own.isClaiming) this.#release(name)
        },
      },
    }
  }

  /** Writes the answers that still wait, if that is possible. */
  async close(): Promise<void> {
    await this.#saving.close()
    // The last write has restarted the timer.
    this.#pruning.cancel()
  }

  async #look(name: CallName, running: RunningCall<Call>): Promise<Claimed> {
    const text = textOf(name)
    const own = this.#findUnsaved(text)
    const claimed: Claimed =
      own === undefined ? await this.#claim(name, running) : { type: 'finished', call: own }
    if (claimed.type !== 'finished') return claimed
    return claimed.call.expiresAtMs > this.#options.clock.nowMs() ? claimed : { type: 'claimed' }
  }

  /** The answer of this process that the store may not have yet. It keeps the claim until it is stored. */
  #findUnsaved(text: string): FinishedCall | undefined {
    return this.#buffer.findWaiting(text) ?? this.#buffer.findWritten(text)
  }

  async #claim(name: CallName, running: RunningCall<Call>): Promise<Claimed> {
    running.mayHoldClaim = true
    running.isClaiming = true
    try {
      const claimed = await this.#options.store.claim(name, running.fingerprint)
      running.mayHoldClaim = claimed.type === 'claimed'
      return claimed
    } finally {
      running.isClaiming = false
      if (running.mayHoldClaim) this.#releaseEnded(name, running)
    }
  }

  /** Releases the claim of a call that ended before the store answered, unless a later call of the name has it now. */
  #releaseEnded(name: CallName, ended: RunningCall<Call>): void {
    const text = textOf(name)
    const current = this.#running.get(text)
    if (current === ended) return
    if (current !== undefined) current.mayHoldClaim = true
    else if (this.#findUnsaved(text) === undefined) this.#release(name)
  }

  #release(name: CallName): void {
    this.#options.store.release(name).catch((error: unknown) => {
      this.#options.warn(`the claim of an idempotency key cannot be released: ${innerReasonOf(error)}`)
    })
  }

  #add(name: CallName, answer: IdempotentAnswer): void {
    // A reload may have turned idempotency keys off in the meantime.
    if (this.#policy === undefined || answer.body.length > this.maxAnswerBytes) {
      this.#release(name)
      return
    }
    const call = { name, answer, expiresAtMs: this.#options.clock.nowMs() + this.#policy.keepMs }
    this.#buffer.add(textOf(name), call)
    this.#saving.schedule()
  }

  async #save(): Promise<void> {
    const { store, clock } = this.#options
    await this.#buffer.flush((calls) => store.finish(calls))
    if (clock.monotonicMs() - this.#prunedAtMs < PRUNE_EVERY_MS) return
    this.#prunedAtMs = clock.monotonicMs()
    this.#pruning.restart()
    await store.prune({ nowMs: clock.nowMs(), maxBytes: this.#policy?.maxBytes ?? 0 })
  }
}

/** Estimates the size of the call's row in the database. */
function bytesOf({ answer }: FinishedCall): number {
  return ROW_BYTES + answer.body.length
}

function textOf({ keyId, id }: CallName): string {
  return `${keyId} ${id}`
}
