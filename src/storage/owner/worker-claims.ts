import type {
  CallName,
  Claimed,
  FinishedCall,
  IdempotencyBounds,
  IdempotencyStore,
} from '../../stored-answers/idempotency-store.ts'

interface OwnClaim {
  readonly name: CallName
  readonly fingerprint: string
}

/**
 * The claims of one process at the process that owns the files. A new owner does not know them, so they are claimed
 * again there.
 */
export class WorkerClaims implements IdempotencyStore {
  readonly #store: IdempotencyStore
  readonly #claims = new Map<string, OwnClaim>()

  constructor(store: IdempotencyStore) {
    this.#store = store
  }

  async claim(name: CallName, fingerprint: string): Promise<Claimed> {
    const claimed = await this.#store.claim(name, fingerprint)
    if (claimed.type === 'claimed') this.#claims.set(textOf(name), { name, fingerprint })
    return claimed
  }

  release(name: CallName): Promise<void> {
    this.#claims.delete(textOf(name))
    return this.#store.release(name)
  }

  async finish(calls: readonly FinishedCall[]): Promise<void> {
    await this.#store.finish(calls)
    for (const { name } of calls) this.#claims.delete(textOf(name))
  }

  prune(bounds: IdempotencyBounds): Promise<void> {
    return this.#store.prune(bounds)
  }

  /** Claims the calls in progress again. Called as soon as another owner is connected, before other calls to it. */
  renew(): void {
    for (const { name, fingerprint } of this.#claims.values()) {
      // A failure means that the owner is gone. The claims are renewed with the next connection.
      this.#store.claim(name, fingerprint).catch(() => undefined)
    }
  }
}

function textOf({ keyId, id }: CallName): string {
  return `${keyId} ${id}`
}
