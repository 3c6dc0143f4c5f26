import { createHash } from 'node:crypto'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'

const MAX_SEED_LENGTH = 40

/**
 * Assigns IDs to the calls of one answer. The format allows calls without an ID, and all other formats require an ID. A
 * generated ID is the same on every read of the answer, and differs between answers: it contains the answer's ID, or a
 * digest of the values that distinguish the answer.
 */
export class CallIds {
  readonly #used = new Set<string>()
  #seed: string | undefined

  /** Returns the call's own ID, or a generated ID if it has none or another call already uses it. */
  assign(own: JsonValue | undefined, chunk: JsonObject): string {
    const isGiven = typeof own === 'string' && own !== '' && !this.#used.has(own)
    const id = isGiven ? own : this.#make(chunk)
    this.#used.add(id)
    return id
  }

  #make(chunk: JsonObject): string {
    this.#seed ??= seedOf(chunk)
    return `call_${this.#seed}_${this.#used.size}`
  }
}

function seedOf({ responseId, createTime, modelVersion, usageMetadata, candidates }: JsonObject): string {
  const id = typeof responseId === 'string' ? responseId.replace(/[^\w-]/g, '') : ''
  if (id !== '') return id.slice(0, MAX_SEED_LENGTH)
  const signs = JSON.stringify([createTime, modelVersion, usageMetadata, candidates])
  return createHash('sha256').update(signs).digest('hex').slice(0, 20)
}
