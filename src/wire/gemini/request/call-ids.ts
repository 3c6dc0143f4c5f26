import { createHash } from 'node:crypto'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'

/** Gives the calls of one answer their ids. */
export interface CallIds {
  /** The call's own id, or a made one where it has none or one that another call has. */
  assign(own: JsonValue | undefined, chunk: JsonObject): string
}

const MAX_SEED_LENGTH = 40

/**
 * The format allows calls without an ID, and all other formats require one. A made-up ID is the same on every read of
 * the answer, and differs between answers: it contains the answer's ID, or a digest of what distinguishes it.
 */
export function createCallIds(): CallIds {
  const used = new Set<string>()
  let seed: string | undefined
  return {
    assign(own, chunk) {
      const given = typeof own === 'string' && own !== '' && !used.has(own)
      let id = given ? own : ''
      if (!given) {
        seed ??= seedOf(chunk)
        id = `call_${seed}_${used.size}`
      }
      used.add(id)
      return id
    },
  }
}

function seedOf({ responseId, createTime, modelVersion, usageMetadata, candidates }: JsonObject): string {
  const id = typeof responseId === 'string' ? responseId.replace(/[^\w-]/g, '') : ''
  if (id !== '') return id.slice(0, MAX_SEED_LENGTH)
  const signs = JSON.stringify([createTime, modelVersion, usageMetadata, candidates])
  return createHash('sha256').update(signs).digest('hex').slice(0, 20)
}
