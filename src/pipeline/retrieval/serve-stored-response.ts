import { permits } from '../../access/key.ts'
import { type Failure, GatewayError } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import type { StoredResponse } from '../../objects/stored-response.ts'
import type { StoredResponseRequest } from '../exchange/caller-request.ts'
import { hasEnded, type ReadResponse, readStored } from '../exchange/stored-conversation.ts'
import { readChain } from '../stored-responses/read-chain.ts'
import { askResponseOwner, type FoundOwner, findResponseOwner } from './ask-response-owner.ts'
import { listInputItems } from './list-input-items.ts'
import { responseNotFound, type ServeInput } from './serve-input.ts'

interface Found {
  readonly stored: StoredResponse
  readonly read: ReadResponse | undefined
  /** Undefined where no provider stores it, or none that the configuration still has. */
  readonly owner: FoundOwner | undefined
}

/**
 * Serves a stored response to its key: from here where its words are here, by the provider that made it where they are
 * not, where it still works on it, or where only the provider can do what is asked. Gives the failure to tell the caller.
 */
export async function serveStoredResponse(input: ServeInput): Promise<Failure | undefined> {
  const { callerRequest, request, gateway, record } = input
  const { keyId, permission } = callerRequest.caller
  const stored = await gateway.storedResponses.find(keyId, request.id)
  if (stored === undefined || !permits(permission, stored.askedName)) throw responseNotFound(request.id)
  const found: Found = { stored, read: readStored(stored), owner: findResponseOwner(stored, gateway) }
  record.model = found.owner?.candidate.publicName ?? stored.askedName
  if (request.method === 'DELETE') return deleteResponse(input, found)
  if (request.action === '/cancel') return cancel(input, found)
  const isHere = found.read !== undefined && hasEnded(found.read.response) && !needsOwner(request)
  if (!isHere && found.owner !== undefined) return askOwner(input, found, found.owner)
  return answerHere(input, found)
}

/** More than was told to the caller then is known to the provider alone. */
function needsOwner({ stream, query, action }: StoredResponseRequest): boolean {
  return stream || (action === '' && new URLSearchParams(query).has('include'))
}

async function askOwner(input: ServeInput, found: Found, owner: FoundOwner): Promise<Failure | undefined> {
  const { stored } = found
  const { failure, response } = await askResponseOwner(input, { stored, owner })
  const isWhole = input.request.action !== '/input_items' && response !== undefined
  if (isWhole && found.read !== undefined && hasEnded(response)) refresh(input, found, response)
  return failure
}

/** What a provider has worked on meanwhile is stored as it is now. */
function refresh({ gateway }: ServeInput, { stored }: Found, response: JsonObject): void {
  if (stored.content.type === 'absent') return
  const { output } = response
  const items = Array.isArray(output) ? output.filter(isJsonObject) : []
  const itemIds = items.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  const content = { ...stored.content, response: JSON.stringify(response) }
  gateway.storedResponses.put({ ...stored, itemIds, content })
}

async function answerHere(input: ServeInput, { stored, read }: Found): Promise<undefined> {
  const { request } = input
  if (read === undefined) throw responseNotFound(request.id, stored)
  if (request.action === '/input_items') return send(input, await listItems(input, read))
  if (request.stream) {
    throw new GatewayError('invalid_field', {
      param: 'stream',
      message:
        'Only a response that was created with "background": true can be streamed again. Leave "stream" out and read it whole.',
    })
  }
  return send(input, read.response)
}

/** The items of the whole conversation before the answer, those of earlier responses included. */
async function listItems(
  { request, callerRequest, gateway }: ServeInput,
  read: ReadResponse,
): Promise<JsonObject> {
  const chain = await readChain(
    { keyId: callerRequest.caller.keyId, responses: gateway.storedResponses },
    request.id,
  )
  // Its own answer ends the chain's conversation. Where earlier words are gone, its own input is left.
  const before = chain === 'unknown' ? undefined : chain.groups?.slice(0, -1)
  return listInputItems(before ?? read.input.groups, request)
}

async function deleteResponse(input: ServeInput, { stored, owner }: Found): Promise<Failure | undefined> {
  const { request, gateway, writer } = input
  if (owner === undefined) {
    gateway.storedResponses.delete(stored.keyId, stored.id)
    return send(input, { id: request.id, object: 'response', deleted: true })
  }
  const { failure } = await askResponseOwner(input, { stored, owner })
  if (failure === undefined) gateway.storedResponses.delete(stored.keyId, stored.id)
  // What the provider has no more need not be deleted there.
  if (failure?.code !== 'response_not_found' || writer.hasStarted || stored.content.type === 'absent')
    return failure
  gateway.storedResponses.delete(stored.keyId, stored.id)
  return send(input, { id: request.id, object: 'response', deleted: true })
}

async function cancel(input: ServeInput, found: Found): Promise<Failure | undefined> {
  const { read, owner } = found
  if (owner !== undefined && (read === undefined || read.response['background'] === true))
    return askOwner(input, found, owner)
  if (read === undefined) throw responseNotFound(input.request.id, found.stored)
  throw new GatewayError('response_not_cancellable')
}

function send({ writer }: ServeInput, body: JsonObject): undefined {
  writer.sendWhole({ status: 200, headers: {}, body: JSON.stringify(body) })
}
