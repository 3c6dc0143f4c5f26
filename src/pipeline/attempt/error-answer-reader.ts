import { heldParts } from '../../upstream/upstream-body.ts'
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

/** Statuses by which a channel says that a model or an object of the caller does not exist. */
const mayMissObject: ReadonlySet<number> = new Set([403, 404, 410])

/** Reads an answer with an error status. */
export function createErrorReader(lane: Lane, head: AnswerHead): AnswerReader {
  return new ErrorAnswerReader(lane, head)
}

class ErrorAnswerReader implements AnswerReader {
  /** Always the empty state, since the reader holds few bytes. */
  readonly state = emptyState
  readonly #lane: Lane
  readonly #head: AnswerHead
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(lane: Lane, head: AnswerHead) {
    this.#lane = lane
    this.#head = head
  }

  push(chunk: Buffer): ReadResult {
    // The body cannot be decoded, so the status decides.
    if (isCompressed(this.#head)) return this.end()
    this.#chunks.push(chunk.subarray(0, MAX_ERROR_BYTES - this.#bytes))
    this.#bytes += chunk.length
    return this.#bytes >= MAX_ERROR_BYTES ? this.end() : needMore
  }

  end(): ReadResult {
    const { status, headers, receivedAtMs, passed } = this.#head
    const body = Buffer.concat(this.#chunks)
    // If the body cannot be read, the status classifies the error.
    const readable = refuseJson(body.toString('utf8')) === undefined ? body : Buffer.alloc(0)
    const failure = this.#lane.readError({
      status,
      headers: joinHeaders(headers),
      body: readable,
      receivedAtMs,
      namesStoredObjects: mayMissObject.has(status) && namesStoredObjects(heldParts(this.#lane.body)),
    })
    return { type: 'failure', parts: noParts, failure: { ...failure, headers: passed } }
  }
}

function joinHeaders(headers: AnswerHead['headers']): Readonly<Record<string, string | undefined>> {
  const joined: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(headers)) {
    joined[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return joined
}
