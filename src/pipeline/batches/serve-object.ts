import { GatewayError } from '../../canonical/failure.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { RemoteObject } from '../../stored-answers/remote-object.ts'
import type { AskedList, AskedOpenaiObject } from '../exchange/caller-request.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import { type ObjectCall, objectNotFound } from './object-input.ts'
import type { OpenLine } from './read-batch-input.ts'
import { askBatch, createBatch } from './serve-batches.ts'
import { askFile, deleteFile, sendContent, uploadFile } from './serve-files.ts'
import { showFile } from './show-object.ts'

/** Serves a request for a file or a batch in OpenAI's format. Rejects with `GatewayError`. */
export async function serveOpenaiObject(
  call: ObjectCall,
  asked: AskedOpenaiObject,
  openLine: OpenLine,
): Promise<ExchangeOutcome> {
  if (asked.type === 'read-file') return sendContent(call, asked.id)
  const body = await answer(call, asked, openLine)
  call.writer.sendWhole({ status: 200, headers: {}, body: JSON.stringify(body) })
  return { type: 'answered' }
}

async function answer(call: ObjectCall, asked: AskedOpenaiObject, openLine: OpenLine): Promise<JsonObject> {
  switch (asked.type) {
    case 'upload-file':
      return uploadFile(call, openLine)
    case 'list':
      return list(call, asked)
    case 'show-file':
      return askFile(call, asked.id)
    case 'delete-file':
      return deleteFile(call, asked.id)
    case 'create-batch':
      return createBatch(call)
    case 'show-batch':
      return askBatch(call, asked.id, '')
    case 'cancel-batch':
      return askBatch(call, asked.id, '/cancel')
    case 'read-file':
      throw objectNotFound('file', asked.id)
  }
}

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/**
 * A page of a key's objects, the newest first unless the query asks for another order. Batches are in the state in
 * which they were last seen.
 */
async function list({ request, remoteObjects }: ObjectCall, { of, query }: AskedList): Promise<JsonObject> {
  const asked = new URLSearchParams(query)
  const limit = Number(asked.get('limit') ?? DEFAULT_LIMIT)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new GatewayError('invalid_field', {
      param: 'limit',
      message: `The parameter "limit" must be a whole number from 1 to ${MAX_LIMIT}.`,
    })
  const found = await remoteObjects.list(request.caller.keyId, {
    type: of,
    after: asked.get('after') ?? undefined,
    limit: limit + 1,
    isAscending: asked.get('order') === 'asc',
  })
  const page = found.slice(0, limit)
  const hasMore = found.length > limit
  const ends = { first_id: page[0]?.id ?? null, last_id: page.at(-1)?.id ?? null }
  return { object: 'list', data: page.map(show), ...ends, has_more: hasMore }
}

function show(object: RemoteObject): JsonObject {
  return object.detail.type === 'batch' ? object.detail.shown : showFile(object)
}
