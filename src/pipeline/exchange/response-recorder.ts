import type { EstimatedCharge } from '../../canonical/estimated-charge.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { ResponseContent, ResponseOwner, StoredResponse } from '../../stored-answers/stored-response.ts'
import { isStoredId } from '../../stored-answers/stored-response.ts'
import {
  bytesOfResponse,
  MAX_RESPONSE_BYTES,
  OWNER_KEEP_MS,
  type StoredResponses,
} from '../../stored-answers/stored-responses.ts'
import type { StoredAnswerForm } from '../../wire/answer-form.ts'
import { isInProgress } from './stored-conversation.ts'

/** The store to which answers are recorded. */
export type ResponseRecords = Pick<StoredResponses, 'policy' | 'put' | 'extend'>

/** The facts about a response that are known before it is answered. */
export interface RecorderOptions {
  readonly responses: ResponseRecords
  /** Whether the provider may store the response, too, so that the provider can be asked for the next turn. */
  readonly hasOwner: boolean
  readonly nowMs: () => number
  /** The ID that the caller sees; undefined where the content is not stored and the provider's own ID is shown. */
  readonly form: StoredAnswerForm | undefined
  readonly row: Pick<StoredResponse, 'keyId' | 'askedName' | 'previousId' | 'links'>
  /** The IDs of the responses that this response continues. They are stored as long as this response. */
  readonly before: readonly string[]
  /** Writes the groups that this request adds, as JSON. Called only when they are needed. */
  readonly writeGroups: () => string
}

/** The provider of an answer that contains the provider's own IDs. */
export interface RecordedTarget {
  readonly candidate: Candidate
  readonly account: string
}

const MAX_ITEM_IDS = 2_000

/**
 * Stores one answer under the ID that its caller sees, before the caller sees the end of the answer. Each request has
 * its own recorder.
 */
export class ResponseRecorder {
  readonly #options: RecorderOptions
  #answeredBy: RecordedTarget | 'translation' = 'translation'
  #readCharge: (() => EstimatedCharge) | undefined

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  get form(): StoredAnswerForm | undefined {
    return this.#options.form
  }

  /** Sets the charge of this attempt, which is corrected if the answer continues after its request. */
  chargeTo(readCharge: () => EstimatedCharge): void {
    this.#readCharge = readCharge
  }

  /** Records what follows as the answer of this attempt. */
  begin(answeredBy: RecordedTarget | 'translation'): void {
    this.#answeredBy = answeredBy
  }

  /** Records the owner of a response as soon as its ID is seen. Its content follows with its end. */
  recordStart(providerId: string, provider: JsonObject): void {
    const isPolled = provider['background'] === true
    if (isPolled) this.record(provider, providerId)
    else this.#put(providerId, provider, { type: 'absent', reason: 'unfinished' })
  }

  /** Records a response. `providerId` is set where the provider may store the response, too. */
  record(response: JsonObject, providerId?: string): void {
    const { form } = this.#options
    const content: ResponseContent =
      form === undefined
        ? { type: 'absent', reason: 'off' }
        : { type: 'present', input: this.#writeInput(), response: JSON.stringify(nameAs(response, form)) }
    this.#put(providerId, response, content)
  }

  #put(providerId: string | undefined, response: JsonObject, content: ResponseContent): void {
    const { responses, form, row, nowMs, before } = this.#options
    const owner = this.#ownerOf(providerId, response)
    const id = form?.id ?? owner?.providerId
    if (id === undefined) return
    const createdAtMs = nowMs()
    const expiresAtMs = createdAtMs + (responses.policy?.keepMs ?? OWNER_KEEP_MS)
    const isUnfinished = content.type === 'absent' && content.reason === 'unfinished'
    const goesOn = owner !== undefined && !isUnfinished && isInProgress(response)
    const stored = {
      ...row,
      id,
      createdAtMs,
      expiresAtMs,
      owner,
      content,
      ...(goesOn && { charge: this.#readCharge?.() }),
      itemIds: isUnfinished ? [] : listItemIds(response),
    }
    const isTooLarge = bytesOfResponse(stored) > this.#maxBytes()
    responses.put(isTooLarge ? { ...stored, content: { type: 'absent', reason: 'too-large' } } : stored)
    for (const earlier of before) responses.extend(row.keyId, earlier, expiresAtMs)
  }

  #maxBytes(): number {
    const { maxBytes } = this.#options.responses.policy ?? { maxBytes: MAX_RESPONSE_BYTES }
    return Math.min(MAX_RESPONSE_BYTES, maxBytes)
  }

  #ownerOf(providerId: string | undefined, { store }: JsonObject): ResponseOwner | undefined {
    if (this.#answeredBy === 'translation' || !this.#options.hasOwner) return undefined
    if (store === false || !isStoredId(providerId)) return undefined
    const { target, credential, publicName } = this.#answeredBy.candidate
    return {
      channelName: target.channel.name,
      credentialId: credential?.id,
      publicName,
      upstreamModel: target.upstreamModel,
      providerId,
    }
  }

  #writeInput(): string {
    const answeredBy = this.#answeredBy
    const account = answeredBy === 'translation' ? '' : `"account":${JSON.stringify(answeredBy.account)},`
    return `{${account}"groups":${this.#options.writeGroups()}}`
  }
}

/** The response under the IDs that its caller knows. */
function nameAs(response: JsonObject, form: StoredAnswerForm): JsonObject {
  return { ...response, id: form.id, previous_response_id: form.previousResponseId ?? null }
}

function listItemIds({ output }: JsonObject): readonly string[] {
  if (!isJsonArray(output)) return []
  const ids = output.flatMap((item) => (isJsonObject(item) && isStoredId(item['id']) ? [item['id']] : []))
  return [...new Set(ids)].slice(0, MAX_ITEM_IDS)
}
