import { GatewayError } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { createObjectId } from '../../kit/random/ids.ts'
import type { FileDetail, RemoteObject } from '../../stored-answers/remote-object.ts'
import { findServingOwner } from '../retrieval/ask-response-owner.ts'
import { askProvider } from './call-provider.ts'
import { openBatchCharge } from './charge-batch.ts'
import { FIRST_POLL_MS, type FollowedBatch, followBatch } from './follow-batch.ts'
import { findObject, type ObjectCall, ownerOf, SMALL_ANSWER_MS } from './object-input.ts'
import { FILE_LIFE_MS, readRemoteId } from './serve-files.ts'

interface BatchCreation {
  readonly file: RemoteObject
  readonly detail: FileDetail
  readonly passed: JsonObject
}

/** Creates a batch on the channel that stores its input, after its worst case is held. */
export async function createBatch(call: ObjectCall): Promise<JsonObject> {
  const { request, attempts, clock, remoteObjects } = call
  const { file, detail, passed } = await readBatchCreation(call)
  if (detail.input === undefined) throw invalid('input_file_id', 'must be a file of purpose "batch"')
  const owner = findServingOwner(file, call)
  if (owner === undefined) throw modelChanged()
  using charge = await openBatchCharge(call, owner, detail.input)
  const body = { ...passed, input_file_id: file.providerId }
  const ask = { owner, method: 'POST', path: '/batches', body, timeoutMs: SMALL_ANSWER_MS } as const
  const remote = await askProvider(ask, call).catch((error: unknown) => {
    // A call that broke off may have been accepted. It then costs what was held.
    if (isUncertain(error)) charge.settle({ usage: undefined, servedTier: undefined, ending: 'cut' })
    throw error
  })
  const { target } = owner.candidate
  attempts.answeredBy({ type: 'target', target, losses: [], isRecovered: false })
  const spent = charge.settle({ usage: undefined, servedTier: undefined, ending: 'whole' })
  const createdAtMs = clock.nowMs()
  const batch: RemoteObject = {
    ...file,
    keyId: request.caller.keyId,
    id: createObjectId('batch', createdAtMs),
    providerId: readRemoteId(remote),
    createdAtMs,
    expiresAtMs: createdAtMs + FILE_LIFE_MS,
    pollAtMs: createdAtMs + FIRST_POLL_MS,
    detail: {
      type: 'batch',
      endpoint: detail.input.endpoint,
      inputFileId: file.id,
      charge: charge.estimate,
      polls: 0,
      shown: {},
    },
  }
  await remoteObjects.add(batch)
  await spent.durable
  return showFollowed(await followBatch(batch, remote, call))
}

function modelChanged(): GatewayError {
  return new GatewayError('invalid_field', {
    param: 'input_file_id',
    message: 'The model of the file is served otherwise since the file was uploaded. Upload the file again.',
  })
}

function showFollowed({ batch: { detail } }: FollowedBatch): JsonObject {
  return detail.type === 'batch' ? detail.shown : {}
}

/** The failures after which a provider may still have accepted the request. */
const uncertain: ReadonlySet<string> = new Set([
  'upstream_disconnected',
  'upstream_timeout',
  'upstream_bad_response',
])

export function isUncertain(error: unknown): boolean {
  return !(error instanceof GatewayError) || uncertain.has(error.failure.code)
}

async function readBatchCreation(call: ObjectCall): Promise<BatchCreation> {
  const body = tryParseJson(call.request.body.text())
  if (!isJsonObject(body)) throw new GatewayError('body_not_object')
  const { input_file_id: fileId, endpoint, completion_window: window, metadata } = body
  if (typeof fileId !== 'string') throw invalid('input_file_id', 'must be the id of a file')
  if (window !== '24h') throw invalid('completion_window', 'must be "24h"')
  if (metadata !== undefined && metadata !== null && !isJsonObject(metadata))
    throw invalid('metadata', 'must be an object')
  const file = await findObject(call, 'file', fileId)
  const { detail } = file
  if (detail.type !== 'file' || detail.input === undefined)
    throw invalid('input_file_id', 'must be a file of purpose "batch"')
  if (endpoint !== detail.input.endpoint)
    throw invalid('endpoint', `must be that of the file's lines, ${detail.input.endpoint}`)
  const passed = { endpoint, completion_window: window, ...(isJsonObject(metadata) && { metadata }) }
  return { file, detail, passed }
}

function invalid(param: string, what: string): GatewayError {
  return new GatewayError('invalid_field', { param, message: `The field "${param}" ${what}.` })
}

/** The current state of a batch at its provider. If the batch is over, its cost is settled. */
export async function askBatch(call: ObjectCall, id: string, action: '' | '/cancel'): Promise<JsonObject> {
  const batch = await findObject(call, 'batch', id)
  const owner = ownerOf(batch, call)
  const method = action === '' ? 'GET' : 'POST'
  const path = `/batches/${encodeURIComponent(batch.providerId)}${action}`
  const remote = await askProvider({ owner, method, path, timeoutMs: SMALL_ANSWER_MS }, call)
  const { target } = owner.candidate
  call.attempts.answeredBy({ type: 'target', target, losses: [], isRecovered: false })
  return showFollowed(await followBatch(batch, remote, call))
}
