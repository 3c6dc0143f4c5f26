import type { Claimed, IdempotencyStore } from '../../stored-answers/idempotency-store.ts'

interface Claim {
  readonly process: string
  readonly fingerprint: string
}

/** The claims by the names of their calls, as one owner passes them to the next. */
export type ClaimsHandover = readonly (readonly [string, Claim])[]

/** The claims of all processes on this machine, in the memory of the process that owns the files. */
export class ClaimedCalls {
  readonly #answers: IdempotencyStore
  readonly #claims: Map<string, Claim>

  /** `claims` are those of the previous owner, if it has handed them over. */
  constructor(answers: IdempotencyStore, claims: ClaimsHandover = []) {
    this.#answers = answers
    this.#claims = new Map(claims)
  }

  /** The claims of all processes but this one, whose calls have ended. */
  handover(own: string): ClaimsHandover {
    return [...this.#claims].filter(([, { process }]) => process !== own)
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
