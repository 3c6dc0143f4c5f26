import { createFailure, type Failure, isFailure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import { runToEnd, type Steps } from '../../kit/async/steps.ts'
import type { Lane, WholeReply } from '../lane/lane.ts'
import { noParts } from '../relay/stream-relay.ts'
import { type AnswerReader, type AnswerState, needMore, type ReadResult } from './read-result.ts'

/** The size from which a whole answer is read in several turns of the event loop. */
export const LARGE_ANSWER_BYTES = 256 * 1024

/**
 * Reads an answer in one piece. `replaysAsStream` is true where the caller waits for a stream, though the upstream sent
 * a whole answer.
 */
export function createWholeAnswerReader(lane: Lane, replaysAsStream: boolean): AnswerReader {
  return new WholeAnswerReader(lane, replaysAsStream)
}

class WholeAnswerReader implements AnswerReader, AnswerState {
  readonly state = this
  readonly hasContent = false
  readonly progress = 0
  shownCharacters = 0
  usage: Usage | undefined
  servedTier: ServedTier | undefined
  losses: readonly Loss[] = []
  contentType: string | undefined
  readonly #lane: Lane
  readonly #replaysAsStream: boolean
  readonly #chunks: Buffer[] = []
  heldBytes = 0

  constructor(lane: Lane, replaysAsStream: boolean) {
    this.#lane = lane
    this.#replaysAsStream = replaysAsStream
  }

  push(chunk: Buffer): ReadResult {
    this.#chunks.push(chunk)
    this.heldBytes += chunk.length
    const { maxBytes, refuse } = this.#lane.answerBound
    return this.heldBytes <= maxBytes ? needMore : { type: 'failure', parts: noParts, failure: refuse() }
  }

  end(): ReadResult {
    const body = withoutMark(joinChunks(this.#chunks))
    if (skipBlank(body).length === 0 && this.#lane.whole.type !== 'text')
      return { type: 'failure', parts: noParts, failure: createFailure('upstream_empty') }
    const steps = this.#lane.readWhole(body, this.#replaysAsStream)
    if (body.length >= LARGE_ANSWER_BYTES) return { type: 'steps', steps: this.#finish(steps, body) }
    return this.#readReply(runToEnd(steps), body)
  }

  *#finish(steps: Steps<WholeReply | Failure>, body: Buffer): Steps<ReadResult> {
    return this.#readReply(yield* steps, body)
  }

  #readReply(reply: WholeReply | Failure, body: Buffer): ReadResult {
    if (isFailure(reply)) return this.#fail(reply, body)
    this.usage = reply.usage
    this.servedTier = reply.servedTier
    this.losses = reply.losses
    this.contentType = reply.contentType
    this.shownCharacters = reply.shownCharacters ?? 0
    return { type: 'whole', body: reply.body, replaysAsStream: this.#replaysAsStream }
  }

  #fail(failure: Failure, body: Buffer): ReadResult {
    const stated = this.#lane.findFailedUsage?.(body)
    this.usage = stated?.usage
    this.servedTier = stated?.servedTier
    return { type: 'failure', parts: noParts, failure }
  }
}

/** The white space of JSON. Empty lines of a stream consist of the same bytes. */
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** Skips white space at the beginning of an answer. */
export function skipBlank(chunk: Buffer): Buffer {
  let at = 0
  while (at < chunk.length && blanks.has(chunk[at] ?? 0)) at += 1
  return chunk.subarray(at)
}

function joinChunks(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
}

/** Removes a byte order mark before JSON, since a parser refuses it. */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}
