import type { Key, KeyId } from '../../access/key.ts'
import type { KeyRegistry } from '../../access/key-registry.ts'
import { GatewayError, innerReasonOf } from '../../canonical/failure.ts'
import type { Mutex } from '../../kit/async/create-mutex.ts'
import type { Clock, Timer } from '../../kit/time/clock.ts'

/** A key as it must be, and what stores that. */
export interface UnstoredKey {
  readonly key: Key
  readonly store: () => Promise<unknown>
}

export interface UnstoredKeysOptions {
  readonly registry: Pick<KeyRegistry, 'put'>
  readonly clock: Clock
  /** The mutex by which all changes of keys go one after the other. */
  readonly mutex: Mutex
}

const RETRY_INTERVAL_MS = 5_000

/**
 * Keys that were disabled or revoked while the store could not be written, on a full disk say. They are
 * refused at once, and storing that is tried again until it succeeds or the process ends.
 */
export class UnstoredKeys {
  readonly #keys = new Map<KeyId, UnstoredKey>()
  readonly #options: UnstoredKeysOptions
  #timer: Timer | undefined
  #isClosed = false

  constructor(options: UnstoredKeysOptions) {
    this.#options = options
  }

  /** The keys of the store, as they are in memory. */
  overlay(keys: readonly Key[]): readonly Key[] {
    return this.#keys.size === 0 ? keys : keys.map((key) => this.#keys.get(key.id)?.key ?? key)
  }

  add(unstored: UnstoredKey): void {
    this.#keys.set(unstored.key.id, unstored)
    this.#options.registry.put(unstored.key)
    this.#startTimer()
  }

  /** Stops the retries: what is stored of the key is as it must be. */
  delete(id: KeyId): void {
    this.#keys.delete(id)
  }

  /** Ends the retries, before the store is closed. */
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
      // While the store cannot be written, it is tried again; all else is for the last handler to log.
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

/** The error for a change that is in force already but would be gone after a restart. */
export function notStored(word: 'disabled' | 'revoked', { name }: Key, cause: unknown): GatewayError {
  return new GatewayError(
    'store_unavailable',
    {
      logCause: innerReasonOf(cause),
      message: `Key "${name}" is ${word} from now on, but the store cannot be written: after a restart the key would work again. Storing it is tried again every ${RETRY_INTERVAL_MS / 1_000} s while this process runs; free some room, then ask again to be sure.`,
    },
    { cause },
  )
}
