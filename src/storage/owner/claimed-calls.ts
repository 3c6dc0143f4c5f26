import type { Claimed, IdempotencyStore } from '../../stored-answers/idempotency-store.ts'

interface Claim {
  readonly process: string
  readonly fingerprint: string
}

/** The claims of all processes on this machine, in the memory of the process that owns the files. */
export class ClaimedCalls {
  readonly #answers: IdempotencyStore
  readonly #claims = new Map<string, Claim>()

  constructor(answers: IdempotencyStore) {
    this.#answers = answers
  }

  /** The store as seen by one process. */
  storeFor(process: string): IdempotencyStore {
    const answers = this.#answers
    const release = ({ keyId, id }: { readonly keyId: string; readonly id: string }) => {
      const name = `${keyId} ${id}`
      if (this.#claims.get(name)?.process === process) this.#claims.delete(name)
    }
    return {
      claim: async (name, fingerprint): Promise<Claimed> => {
        const key = `${name.keyId} ${name.id}`
        const claim = this.#claims.get(key)
        if (claim !== undefined && claim.process !== process)
          return { type: 'elsewhere', fingerprint: claim.fingerprint }
        // The claim is set before the lookup. After that, no other process can store an answer: it would need the
        // claim.
        this.#claims.set(key, { process, fingerprint })
        try {
          const found = await answers.claim(name, fingerprint)
          if (found.type === 'finished') release(name)
          return found
        } catch (error) {
          release(name)
          throw error
        }
      },
      async release(name) {
        release(name)
        await answers.release(name)
      },
      async finish(calls) {
        await answers.finish(calls)
        for (const { name } of calls) release(name)
      },
      prune: (bounds) => answers.prune(bounds),
    }
  }

  /** Ends the claims of a process that has disconnected. */
  gone(process: string): void {
    for (const [name, claim] of this.#claims) if (claim.process === process) this.#claims.delete(name)
  }
}
