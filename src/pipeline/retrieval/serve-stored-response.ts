import { permits } from '../../access/permission.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { type JsonObject, objectsIn } from '../../kit/json/json.ts'
import type { StoredResponse } from '../../stored-answers/stored-response.ts'
import type { RetrievalRequest, StoredResponseRequest } from '../exchange/caller-request.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import { hasEnded, type ReadResponse, readStored } from '../exchange/stored-conversation.ts'
import { sendWhole } from '../response/send-whole.ts'
import { readChain } from '../stored-responses/read-chain.ts'
import { askResponseOwner, findResponseOwner } from './ask-response-owner.ts'
import { correctCharge } from './correct-charge.ts'
import { listInputItems } from './list-input-items.ts'
import type { FoundOwner } from './owner-lane.ts'
import {
  type Retrieval,
  type RetrievalDependencies,
  type RetrievalInput,
  responseNotFound,
} from './retrieval-input.ts'

export interface Found {
  readonly stored: StoredResponse
  /** The public name of the model that answered. */
  readonly modelName: string
  readonly read: ReadResponse | undefined
  /** Undefined where no provider in the configuration stores the response. */
  readonly owner: FoundOwner | undefined
}

/** Finds the requested response. Rejects with `GatewayError` if the key has no response with that ID. */
export async function findStoredResponse(
  { stored: requested, caller }: RetrievalRequest,
  dependencies: Pick<RetrievalDependencies, 'storedResponses' | 'catalog' | 'providers'>,
): Promise<Found> {
  const stored = await dependencies.storedResponses.find(caller.keyId, requested.id)
  if (stored === undefined || !permits(caller.permission, stored.askedName))
    throw responseNotFound(requested.id)
  const owner = findResponseOwner(stored, dependencies)
  const modelName = owner?.candidate.publicName ?? stored.askedName
  return { stored, modelName, read: readStored(stored), owner }
}

/**
 * Serves a stored response to its key. It is served from here if its content is stored here. The provider that made it
 * serves it if the content is not stored here, if the response is still in progress, or if only the provider can do
 * what is requested.
 */
export async function serveStoredResponse(
  input: RetrievalInput,
  found: Found,
  dependencies: RetrievalDependencies,
): Promise<ExchangeOutcome> {
  const { stored: requested } = input.request
  const retrieval = { ...input, ...dependencies }
  if (requested.method === 'DELETE') return deleteResponse(retrieval, found)
  if (requested.action === '/cancel') return cancel(retrieval, found)
  const isHere = found.read !== undefined && hasEnded(found.read.response) && !needsOwner(requested)
  if (!isHere && found.owner !== undefined) return askOwner(retrieval, found, found.owner)
  return answerFromStore(retrieval, found)
}

/** Whether the provider must be called because it knows more than the caller got at the time. */
function needsOwner({ isStream, query, action }: StoredResponseRequest): boolean {
  return isStream || (action === '' && new URLSearchParams(query).has('include'))
}

async function askOwner(retrieval: Retrieval, found: Found, owner: FoundOwner): Promise<ExchangeOutcome> {
  const { stored } = found
  const { outcome, latest } = await askResponseOwner(retrieval, { stored, owner }, (response) => {
    const isWhole = retrieval.request.stored.action !== '/input_items' && response !== undefined
    const isOver = isWhole && found.read !== undefined && hasEnded(response)
    return isOver ? refresh(retrieval, found, response) : undefined
  })
  correctCharge(retrieval, stored, latest)
  return outcome
}

/** Stores the current response if a provider has worked on it in the meantime. */
async function refresh(
  { storedResponses }: Retrieval,
  { stored }: Found,
  response: JsonObject,
): Promise<void> {
  if (stored.content.type === 'absent') return
  const { output } = response
  const items = objectsIn(output)
  const itemIds = items.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  const content = { ...stored.content, response: JSON.stringify(response) }
  await storedResponses.replace({ ...stored, itemIds, content })
}

async function answerFromStore(retrieval: Retrieval, { stored, read }: Found): Promise<ExchangeOutcome> {
  const requested = retrieval.request.stored
  if (read === undefined) throw responseNotFound(requested.id, stored)
  if (requested.action === '/input_items') return send(retrieval, await listItems(retrieval, read))
  if (requested.isStream) {
    throw new GatewayError('invalid_field', {
      param: 'stream',
      message:
        'Only a response that was created with "background": true can be streamed again. Leave "stream" out and read it whole.',
    })
  }
  // The process may have crashed between the first reading and the correction.
  correctCharge(retrieval, stored, read.response)
  return send(retrieval, read.response)
}

/** The items of the whole conversation before the answer, including those of earlier responses. */
async function listItems({ request, storedResponses }: Retrieval, read: ReadResponse): Promise<JsonObject> {
  const { caller, stored } = request
  const chain = await readChain({ keyId: caller.keyId, responses: storedResponses }, stored.id)
  // The response's own answer is the last part of the chain. If earlier content is missing, only its own input is
  // listed.
  const before = chain === 'unknown' ? undefined : chain.groups?.slice(0, -1)
  return listInputItems(before ?? read.input.groups, stored)
}

async function deleteResponse(retrieval: Retrieval, { stored, owner }: Found): Promise<ExchangeOutcome> {
  const { request, storedResponses, writer } = retrieval
  const deleteHere = () => storedResponses.delete(stored.keyId, stored.id)
  const confirmation = { id: request.stored.id, object: 'response', deleted: true }
  if (owner === undefined) {
    await deleteHere()
    return send(retrieval, confirmation)
  }
  const { outcome } = await askResponseOwner(retrieval, { stored, owner }, deleteHere)
  if (outcome.type === 'answered') return outcome
  // The provider may have deleted the response although the caller did not wait for the answer.
  if (outcome.type === 'caller-gone') {
    await deleteHere()
    return outcome
  }
  // A response that the provider no longer has needs no deletion there.
  const isGone = outcome.failure.code === 'response_not_found' && !writer.hasStarted
  if (!isGone || stored.content.type === 'absent') return outcome
  await deleteHere()
  return send(retrieval, confirmation)
}

async function cancel(retrieval: Retrieval, found: Found): Promise<ExchangeOutcome> {
  const { read, owner } = found
  if (owner !== undefined && (read === undefined || read.response['background'] === true))
    return askOwner(retrieval, found, owner)
  if (read === undefined) throw responseNotFound(retrieval.request.stored.id, found.stored)
  throw new GatewayError('response_not_cancellable')
}

function send(retrieval: Retrieval, body: JsonObject): ExchangeOutcome {
  return sendWhole(retrieval, { status: 200, headers: {}, body: JSON.stringify(body) })
}
