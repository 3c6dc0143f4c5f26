import { refuseJson } from '../../wire/answer-bounds.ts'
import { namesStoredObjects } from '../../wire/verbatim/names-stored-objects.ts'
import type { Lane } from '../lane/lane.ts'
import { noParts } from '../relay/stream-relay.ts'
import {
  type AnswerHead,
  type AnswerReader,
  emptyState,
  isCompressed,
  needMore,
  type ReadResult,
} from './read-result.ts'

const MAX_ERROR_BYTES = 64 * 1024

/** Statuses by which a channel says that it has no such model or no such object of the caller's. */
const mayMissObject: ReadonlySet<number> = new Set([403, 404, 410])

/** Reads an answer with an error status. */
export function createErrorReader(lane: Lane, head: AnswerHead): AnswerReader {
  const { status, headers, receivedAtMs, passed } = head
  const chunks: Buffer[] = []
  let bytes = 0
  const finish = (): ReadResult => {
    const single: Record<string, string | undefined> = {}
    for (const [name, value] of Object.entries(headers)) {
      single[name] = Array.isArray(value) ? value.join(', ') : value
    }
    const body = Buffer.concat(chunks)
    const names = mayMissObject.has(status) && namesStoredObjects(lane.body)
    // The status classifies an error that cannot be read.
    const readable = refuseJson(body.toString('utf8')) === undefined ? body : Buffer.alloc(0)
    const answer = { status, headers: single, body: readable, receivedAtMs, namesStoredObjects: names }
    const failure = lane.readError(answer)
    return { type: 'failure', parts: noParts, failure: { ...failure, headers: passed } }
  }
  return {
    // The state is empty: what the reader holds is bounded to little.
    state: emptyState,
    push(chunk) {
      // The body cannot be decoded; the status decides.
      if (isCompressed(head)) return finish()
      const room = MAX_ERROR_BYTES - bytes
      chunks.push(chunk.subarray(0, room))
      bytes += chunk.length
      return bytes >= MAX_ERROR_BYTES ? finish() : needMore
    },
    end: finish,
  }
}
