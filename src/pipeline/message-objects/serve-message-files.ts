import { GatewayError } from '../../canonical/failure.ts'
import { type FormPart, filesOf } from '../../canonical/uploads/uploaded-form.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { createObjectId, createRequestId } from '../../kit/random/ids.ts'
import type { RemoteObject } from '../../stored-answers/remote-object.ts'
import { createUploadBody } from '../../uploads/upload-body.ts'
import { writeMultipart } from '../../uploads/write-multipart.ts'
import { askProvider } from '../batches/call-provider.ts'
import { chooseHolder } from '../batches/choose-holder.ts'
import { findObject, type ObjectCall, ownerOf, SMALL_ANSWER_MS } from '../batches/object-input.ts'
import { readRemoteId } from '../batches/serve-files.ts'
import { streamAnswer } from '../batches/stream-answer.ts'
import type { RequestedMessageFile } from '../exchange/caller-request.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import { findPage } from './list-page.ts'
import { pickForwardedHeaders } from './pick-forwarded-headers.ts'
import { showMessageFile } from './show-message-objects.ts'

/** The expiry of a file that has none. Such a file is known as long as its key. */
const NO_EXPIRY_MS = 253_402_300_799_000

/** A request for files, except for the content of one, which is a stream. */
export interface MessageFileRequest extends Pick<RequestedMessageFile, 'id'> {
  readonly action: Exclude<RequestedMessageFile['action'], 'content'>
}

/** Serves everything except the reading of a file's content. Rejects with `GatewayError`. */
export async function serveMessageFile(
  call: ObjectCall,
  { action, id }: MessageFileRequest,
): Promise<JsonObject> {
  switch (action) {
    case 'upload':
      return uploadFile(call)
    case 'list':
      return listFiles(call, new URLSearchParams(call.request.query))
    case 'show':
      return show(await findObject(call, 'message-file', id))
    case 'delete':
      return deleteFile(call, id)
  }
}

function show({ detail }: RemoteObject): JsonObject {
  return detail.type === 'message-file' ? detail.shown : {}
}

async function uploadFile(call: ObjectCall): Promise<JsonObject> {
  const { request, clock, remoteObjects, attempts } = call
  const parts = readParts(call)
  const owner = chooseHolder(call, 'messageBatches')
  const { target, credential } = owner.candidate
  const boundary = `headgate-${createRequestId(clock.nowMs())}${createRequestId(clock.nowMs())}`
  const { contentType, pieces } = writeMultipart(parts, boundary)
  const upload = { contentType, body: createUploadBody(pieces) }
  const headers = pickForwardedHeaders(request)
  const timeoutMs = target.channel.timeouts.totalMs
  const ask = { owner, method: 'POST', path: '/v1/files', headers, upload, timeoutMs } as const
  const remote = await askProvider(ask, call)
  attempts.answeredBy({ type: 'target', target, losses: [], isRecovered: false })
  const createdAtMs = clock.nowMs()
  const id = createObjectId('message-file', createdAtMs)
  const expiry = Date.parse(String(remote['expires_at']))
  const shown = showMessageFile(remote, id)
  await remoteObjects.add({
    keyId: request.caller.keyId,
    id,
    channelName: target.channel.name,
    credentialId: credential?.id,
    publicName: '',
    upstreamModel: '',
    providerId: readRemoteId(remote),
    createdAtMs,
    expiresAtMs: Number.isNaN(expiry) ? NO_EXPIRY_MS : expiry,
    pollAtMs: undefined,
    detail: { type: 'message-file', shown, uri: undefined },
  })
  return shown
}

/** The fields of the form that are sent to the provider. No other field is. */
function readParts({ request: { form } }: ObjectCall): readonly FormPart[] {
  const file = filesOf(form).find(({ name }) => name === 'file')
  if (file === undefined)
    throw new GatewayError('missing_field', { param: 'file', message: 'The form has no file named "file".' })
  const life = form?.parts.filter(({ type, name }) => type === 'text' && name === 'expires_in_seconds') ?? []
  return [...life, file]
}

async function listFiles(call: ObjectCall, query: URLSearchParams): Promise<JsonObject> {
  const named = [...query.getAll('ids'), ...query.getAll('ids[]')].slice(0, 100)
  if (named.length > 0) {
    const found = await Promise.all(named.map((id) => call.remoteObjects.find(call.request.caller.keyId, id)))
    const files = found.flatMap((file) => (file?.detail.type === 'message-file' ? [file] : []))
    return { data: files.map(show), next_page: null, has_more: false }
  }
  const { objects, ends } = await findPage(call, 'message-file', query)
  return { data: objects.map(show), next_page: ends.has_more ? ends.last_id : null, ...ends }
}

/** Deletes a file at its provider, then here. If the provider no longer has the file, it is only deleted here. */
async function deleteFile(call: ObjectCall, id: string): Promise<JsonObject> {
  const file = await findObject(call, 'message-file', id)
  const owner = ownerOf(file, call)
  const headers = pickForwardedHeaders(call.request)
  try {
    await askProvider(
      { owner, method: 'DELETE', path: pathOf(file), headers, timeoutMs: SMALL_ANSWER_MS },
      call,
    )
  } catch (error) {
    if (!(error instanceof GatewayError) || error.failure.upstream?.status !== 404) throw error
  }
  await call.remoteObjects.delete(file.keyId, file.id)
  return { id: file.id, type: 'file_deleted' }
}

function pathOf({ providerId }: RemoteObject, below = ''): string {
  return `/v1/files/${encodeURIComponent(providerId)}${below}`
}

/** Sends the content of a file as it arrives. */
export async function sendMessageFile(call: ObjectCall, id: string): Promise<ExchangeOutcome> {
  const file = await findObject(call, 'message-file', id)
  return streamAnswer(call, {
    owner: ownerOf(file, call),
    path: pathOf(file, '/content'),
    headers: pickForwardedHeaders(call.request),
    readHead: ({ 'content-type': type }) => ({
      'content-type': [type].flat()[0] ?? 'application/octet-stream',
      // A browser must not run a file that a caller uploaded.
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
    }),
    read: (chunk) => [chunk],
    end: () => [],
  })
}
