import { GatewayError } from '../../canonical/failure.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { RemoteObject } from '../../stored-answers/remote-object.ts'
import type { RequestedList, RequestedOpenaiObject } from '../exchange/caller-request.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import { type ObjectCall, sendObject } from './object-input.ts'
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
  return sendObject(call, JSON.stringify(body))
}

async function answer(
  call: ObjectCall,
  requested: Exclude<RequestedOpenaiObject, { readonly type: 'read-file' }>,
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
  }
}

/** The limits of https://platform.openai.com/docs/api-reference/files/list and /batch/list, seen 2026-11-30. */
const limits = { file: { standard: 10_000, max: 10_000 }, batch: { standard: 20, max: 100 } } as const
/** The rows of one read of a long list. Other requests get a turn after it. */
const ROWS_A_READ = 100

/**
 * A page of a key's objects, the newest first unless the query asks for another order. Batches are in the state in
 * which they were last seen.
 */
async function list(call: ObjectCall, { of }: RequestedList): Promise<JsonObject> {
  const parameters = new URLSearchParams(call.request.query)
  const limit = readLimit(parameters.get('limit'), of)
  const found = await findListed(call, { of, parameters, limit: limit + 1 })
  const page = found.slice(0, limit)
  const hasMore = found.length > limit
  const ends = { first_id: page[0]?.id ?? null, last_id: page.at(-1)?.id ?? null }
  return { object: 'list', data: page.map(show), ...ends, has_more: hasMore }
}

function readLimit(text: string | null, of: RequestedList['of']): number {
  const { standard, max } = limits[of]
  const limit = Number(text ?? standard)
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit
  throw new GatewayError('invalid_field', {
    param: 'limit',
    message: `The parameter "limit" must be a whole number from 1 to ${max}.`,
  })
}

interface WantedList {
  readonly of: RequestedList['of']
  readonly parameters: URLSearchParams
  readonly limit: number
}

/** Finds the objects of a list. The purpose of a file is sealed, so that files are read before they are chosen. */
async function findListed(
  { request, remoteObjects, clock }: ObjectCall,
  { of, parameters, limit }: WantedList,
): Promise<readonly RemoteObject[]> {
  const purpose = parameters.get('purpose')
  const isWanted = ({ detail, expiresAtMs }: RemoteObject) =>
    expiresAtMs > clock.nowMs() && (detail.type !== 'file' || purpose === null || detail.purpose === purpose)
  // A purpose may be rare, so that a short list needs many rows, too.
  const rows = purpose === null ? Math.min(limit, ROWS_A_READ) : ROWS_A_READ
  const order = { type: of, limit: rows, isAscending: parameters.get('order') === 'asc' }
  const found: RemoteObject[] = []
  let after = parameters.get('after') ?? undefined
  for (;;) {
    const read = await remoteObjects.list(request.caller.keyId, { ...order, after })
    found.push(...read.filter(isWanted))
    after = read.at(-1)?.id
    if (read.length < rows || found.length >= limit) return found.slice(0, limit)
  }
}

function show(object: RemoteObject): JsonObject {
  return object.detail.type === 'batch' ? object.detail.shown : showFile(object)
}
