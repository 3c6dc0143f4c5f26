import type { Key, KeyId } from '../../access/key.ts'
import type { KeyRegistry } from '../../access/key-registry.ts'
import { GatewayError, innerReasonOf } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import type { Mutex } from '../../kit/async/create-mutex.ts'
import type { Clock, Timer } from '../../kit/time/clock.ts'

/** The required state of a key, and the write that stores it. */
export interface UnstoredKey {
  readonly key: Key
  readonly store: () => Promise<unknown>
}

export interface UnstoredKeysOptions {
  readonly registry: Pick<KeyRegistry, 'put'>
  readonly clock: Clock
  /** The mutex that serializes all changes of keys. */
  readonly mutex: Mutex
}

const RETRY_INTERVAL_MS = 5_000

/**
 * Keys that were disabled or revoked while the store could not be written, for example on a full disk. They are
 * refused at once. Storing is retried until it succeeds or the process ends.
 */
export class UnstoredKeys {
  readonly #keys = new Map<KeyId, UnstoredKey>()
  readonly #options: UnstoredKeysOptions
  #timer: Timer | undefined
  #isClosed = false

  constructor(options: UnstoredKeysOptions) {
    this.#options = options
  }

  /** The keys of the store, with these keys in their required state. */
  overlay(keys: readonly Key[]): readonly Key[] {
    return this.#keys.size === 0 ? keys : keys.map((key) => this.#keys.get(key.id)?.key ?? key)
  }

  add(unstored: UnstoredKey): void {
    this.#keys.set(unstored.key.id, unstored)
    this.#options.registry.put(unstored.key)
    this.#startTimer()
  }

  /** Stops the retries for a key, as its stored state is correct. */
  delete(id: KeyId): void {
    this.#keys.delete(id)
  }

  /** Stops all retries before the store is closed. */
  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
  }

  #startTimer(): void {
    if (this.#timer !== undefined || this.#isClosed || this.#keys.size === 0) return
    this.#timer = this.#options.clock.startTimer(RETRY_INTERVAL_MS, () => void this.#storeAll())
  }

  async #storeAll(): Promise<void> {
    try {
      await this.#options.mutex.run(async () => {
        for (const [id, { store }] of [...this.#keys]) {
          await store()
          this.#keys.delete(id)
        }
      })
    } catch (error) {
      // Store errors are retried. The last handler logs any other error.
      if (!isStoreFault(error)) throw error
    } finally {
      this.#timer = undefined
      this.#startTimer()
    }
  }
}

export function isStoreFault(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.failure.code === 'store_unavailable'
}

/** The error for a change that is in force but would be lost in a restart. */
export function notStored(word: 'disabled' | 'revoked', { name }: Key, cause: unknown): GatewayError {
  return refuse(
    'store_unavailable',
    {
      logCause: innerReasonOf(cause),
      message: `Key "${name}" is ${word} from now on, but the store cannot be written: after a restart the key would work again. Storing it is tried again every ${RETRY_INTERVAL_MS / 1_000} s while this process runs; free some room, then ask again to be sure.`,
      fact: { code: 'change_not_stored', values: { name, change: word } },
    },
    { cause },
  )
}
