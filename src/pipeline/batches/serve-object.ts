import { GatewayError } from '../../canonical/failure.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { RemoteObject } from '../../stored-answers/remote-object.ts'
import type { RequestedList, RequestedOpenaiObject } from '../exchange/caller-request.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import { type ObjectCall, objectNotFound } from './object-input.ts'
import type { OpenLine } from './read-batch-input.ts'
import { askBatch, createBatch } from './serve-batches.ts'
import { askFile, deleteFile, sendContent, uploadFile } from './serve-files.ts'
import { showFile } from './show-object.ts'

/** Serves a request for a file or a batch in OpenAI's format. Rejects with `GatewayError`. */
export async function serveOpenaiObject(
  call: ObjectCall,
  requested: RequestedOpenaiObject,
  openLine: OpenLine,
): Promise<ExchangeOutcome> {
  if (requested.type === 'read-file') return sendContent(call, requested.id)
  const body = await answer(call, requested, openLine)
  call.writer.sendWhole({ status: 200, headers: {}, body: JSON.stringify(body) })
  return { type: 'answered' }
}

async function answer(
  call: ObjectCall,
  requested: RequestedOpenaiObject,
  openLine: OpenLine,
): Promise<JsonObject> {
  switch (requested.type) {
    case 'upload-file':
      return uploadFile(call, openLine)
    case 'list':
      return list(call, requested)
    case 'show-file':
      return askFile(call, requested.id)
    case 'delete-file':
      return deleteFile(call, requested.id)
    case 'create-batch':
      return createBatch(call)
    case 'show-batch':
      return askBatch(call, requested.id, '')
    case 'cancel-batch':
      return askBatch(call, requested.id, '/cancel')
    case 'read-file':
      throw objectNotFound('file', requested.id)
  }
}

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/**
 * A page of a key's objects, the newest first unless the query asks for another order. Batches are in the state in
 * which they were last seen.
 */
async function list(
  { request, remoteObjects }: ObjectCall,
  { of, query }: RequestedList,
): Promise<JsonObject> {
  const params = new URLSearchParams(query)
  const limit = Number(params.get('limit') ?? DEFAULT_LIMIT)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new GatewayError('invalid_field', {
      param: 'limit',
      message: `The parameter "limit" must be a whole number from 1 to ${MAX_LIMIT}.`,
    })
  const found = await remoteObjects.list(request.caller.keyId, {
    type: of,
    after: params.get('after') ?? undefined,
    limit: limit + 1,
    isAscending: params.get('order') === 'asc',
  })
  const page = found.slice(0, limit)
  const hasMore = found.length > limit
  const ends = { first_id: page[0]?.id ?? null, last_id: page.at(-1)?.id ?? null }
  return { object: 'list', data: page.map(show), ...ends, has_more: hasMore }
}

function show(object: RemoteObject): JsonObject {
  return object.detail.type === 'batch' ? object.detail.shown : showFile(object)
}
