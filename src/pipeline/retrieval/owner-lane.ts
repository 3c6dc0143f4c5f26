import { type Failure, isFailure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { Steps } from '../../kit/async/steps.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import type { SseFrame } from '../../kit/sse/sse-parser.ts'
import type { Provider } from '../../providers/provider.ts'
import { pathOf } from '../../providers/registry.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { StoredResponse } from '../../stored-answers/stored-response.ts'
import { emptyBody } from '../../upstream/upstream-body.ts'
import type { StoredAnswerForm } from '../../wire/answer-form.ts'
import type { FrameParser } from '../../wire/frame-parser.ts'
import type { ConversationFormat, UpstreamError } from '../../wire/wire-format.ts'
import type { StoredResponseRequest } from '../exchange/caller-request.ts'
import { readStored } from '../exchange/stored-conversation.ts'
import { conversationBound, type Lane, type WholeReply, wholeJson } from '../lane/lane.ts'
import { parseWatchedInSteps } from '../lane/read-whole-reply.ts'
import type { StreamRelay } from '../relay/stream-relay.ts'
import { createVerbatimRelay } from '../relay/verbatim-relay.ts'
import { changeIds, idChangesFor, spliceIds } from '../stored-responses/splice-ids.ts'
import { type ResponseWatch, watchResponses } from '../stored-responses/watch-responses.ts'
import { findFailedResponse } from './correct-charge.ts'
import { type RetrievalInput, responseNotFound } from './retrieval-input.ts'

export interface FoundOwner {
  readonly candidate: Candidate
  readonly provider: Provider
}

export interface OwnedResponse {
  readonly stored: StoredResponse
  readonly owner: FoundOwner
}

/**
 * The lane to the provider that stores a response. The answer is sent to the caller with the IDs that the caller knows,
 * and the lane remembers the responses in it.
 */
export class OwnerLane implements Lane, ResponseWatch {
  readonly kind = 'verbatim'
  readonly path: string
  readonly headers: Lane['headers'] = {}
  readonly body = emptyBody
  readonly whole = wholeJson
  readonly answerHeaders: readonly string[]
  readonly answerBound = conversationBound
  readonly losses: readonly Loss[] = []
  readonly form: StoredAnswerForm | undefined
  readonly #format: ConversationFormat
  readonly #request: StoredResponseRequest
  #response: JsonObject | undefined
  #latest: JsonObject | undefined

  constructor({ stored: request, format }: RetrievalInput['request'], { stored, owner }: OwnedResponse) {
    if (format.kind !== 'conversation') throw new InvariantError('only conversations are stored')
    const { candidate, provider } = owner
    const id = stored.owner?.providerId ?? request.id
    const path = `/responses/${encodeURIComponent(id)}${request.action}${request.query}`
    this.path = pathOf(provider, { id: format.id, path }, { ...candidate.target, isStream: request.isStream })
    this.answerHeaders = provider.answerHeaders ?? []
    this.form = formOf(stored, id)
    this.#format = format
    this.#request = request
  }

  /** The answer to the caller, if it is a whole response. */
  get response(): JsonObject | undefined {
    return this.#response
  }

  /** The whole response, or the last response in a stream. */
  get latest(): JsonObject | undefined {
    return this.#latest
  }

  createStreamRelay(parser: FrameParser): StreamRelay {
    return createVerbatimRelay(
      watchResponses(this.#format, () => this),
      { parser },
    )
  }

  onFrame(frame: SseFrame): void {
    this.#latest = findFailedResponse(frame) ?? this.#latest
  }

  onResponse(response: JsonObject): void {
    this.#latest = response
  }

  *readWhole(body: Buffer): Steps<WholeReply | Failure> {
    const parsed = yield* parseWatchedInSteps(body)
    if (isFailure(parsed)) return parsed
    yield
    const { json } = parsed
    // Pages of a response's items contain no response ID.
    if (!isJsonObject(json) || this.#request.action === '/input_items')
      return { body, usage: undefined, losses: [] }
    const changes = this.form === undefined ? [] : idChangesFor(json, this.form)
    const renamed = changeIds(json, changes)
    this.#response = renamed
    this.#latest = renamed
    const bytes = spliceIds(body, changes, () => Buffer.from(JSON.stringify(renamed), 'utf8'))
    return { body: bytes, usage: undefined, losses: [] }
  }

  readError(answer: UpstreamError): Failure {
    return answer.status === 404 ? responseNotFound(this.#request.id).failure : this.#format.readError(answer)
  }
}

/** The IDs that the caller knows, if they differ from the provider's. */
function formOf(stored: StoredResponse, providerId: string): StoredAnswerForm | undefined {
  if (providerId === stored.id) return undefined
  const previous = readStored(stored)?.response['previous_response_id']
  return { id: stored.id, previousResponseId: typeof previous === 'string' ? previous : undefined }
}
