import { GatewayError } from '../../canonical/failure.ts'
import { type FormFile, filesOf } from '../../canonical/uploads/uploaded-form.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { createObjectId, createRequestId } from '../../kit/random/ids.ts'
import { DAY_MS, HOUR_MS } from '../../kit/time/time-units.ts'
import type { RemoteObject } from '../../stored-answers/remote-object.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import { changeTexts } from './batch-line.ts'
import { askProvider, badAnswer, withoutIds } from './call-provider.ts'
import { findObject, type ObjectCall, ownerOf, SMALL_ANSWER_MS } from './object-input.ts'
import { type OpenLine, readBatchInput, writeUpload } from './read-batch-input.ts'
import { showFile, showOutputLine } from './show-object.ts'
import { showLines, streamAnswer } from './stream-answer.ts'

/** The time for which providers store files of batches (https://platform.openai.com/docs/api-reference/files). */
export const FILE_LIFE_MS = 30 * DAY_MS

/** Checks a batch's input, uploads it to the channel of its model, and stores its owner. */
export async function uploadFile(call: ObjectCall, openLine: OpenLine): Promise<JsonObject> {
  const { request, clock, remoteObjects, attempts } = call
  const { file, lifeMs } = readForm(call)
  const input = await readBatchInput(file, call, openLine)
  const { target, credential, publicName } = input.owner.candidate
  call.recordModel(publicName)
  const boundary = `headgate-${createRequestId(clock.nowMs())}${createRequestId(clock.nowMs())}`
  const upload = writeUpload(file, input, boundary)
  const timeoutMs = target.channel.timeouts.totalMs
  const remote = await askProvider(
    { owner: input.owner, method: 'POST', path: '/files', upload, timeoutMs },
    call,
  )
  attempts.answeredBy({ type: 'target', target, losses: [], isRecovered: false })
  const createdAtMs = clock.nowMs()
  const { bytes, facts } = input
  const object: RemoteObject = {
    keyId: request.caller.keyId,
    id: createObjectId('file', createdAtMs),
    channelName: target.channel.name,
    credentialId: credential?.id,
    publicName,
    upstreamModel: target.upstreamModel,
    providerId: readRemoteId(remote),
    createdAtMs,
    expiresAtMs: createdAtMs + lifeMs,
    pollAtMs: undefined,
    detail: { type: 'file', filename: file.filename, bytes, purpose: 'batch', input: facts },
  }
  await remoteObjects.add(object)
  const { checksFiles } = input.owner.provider.endpoints?.batches ?? {}
  return checksFiles === true ? withStatus(showFile(object), remote) : showFile(object)
}

export function readRemoteId(remote: JsonObject): string {
  const { id } = remote
  if (typeof id === 'string' && /^[\w.:-]{1,256}$/.test(id)) return id
  throw new GatewayError('upstream_bad_response', { logCause: 'the answer names no id' })
}

function readForm({ request: { form } }: ObjectCall): { readonly file: FormFile; readonly lifeMs: number } {
  const texts = new Map(
    (form?.parts ?? []).flatMap((part) => (part.type === 'text' ? [[part.name, part.value]] : [])),
  )
  if (texts.get('purpose') !== 'batch')
    throw new GatewayError('invalid_field', {
      param: 'purpose',
      message: 'The field "purpose" must be "batch": this gateway stores files for batches alone.',
    })
  const file = filesOf(form).find(({ name }) => name === 'file')
  if (file === undefined)
    throw new GatewayError('missing_field', { param: 'file', message: 'The form has no file named "file".' })
  const seconds = texts.get('expires_after[seconds]')
  if (seconds === undefined) return { file, lifeMs: FILE_LIFE_MS }
  const lifeMs = Number(seconds) * 1_000
  if (Number.isInteger(lifeMs) && lifeMs >= HOUR_MS && lifeMs <= FILE_LIFE_MS) return { file, lifeMs }
  throw new GatewayError('invalid_field', {
    param: 'expires_after[seconds]',
    message: 'The field "expires_after[seconds]" must be a whole number from 3600 to 2592000.',
  })
}

/** A file as its key sees it. A provider that checks files first is asked for the file's status. */
export async function askFile(call: ObjectCall, id: string): Promise<JsonObject> {
  const file = await findObject(call, 'file', id)
  const owner = ownerOf(file, call)
  const shown = showFile(file)
  if (owner.provider.endpoints?.batches?.checksFiles !== true) return shown
  const path = `/files/${encodeURIComponent(file.providerId)}`
  const remote = await askProvider({ owner, method: 'GET', path, timeoutMs: SMALL_ANSWER_MS }, call)
  return withStatus(shown, remote)
}

/** The status of a file at its provider, without the provider's IDs. */
function withStatus(shown: JsonObject, { status, status_details: details }: JsonObject): JsonObject {
  return {
    ...shown,
    ...(typeof status === 'string' && { status }),
    ...(typeof details === 'string' && { status_details: withoutIds(details) }),
  }
}

/** Deletes a file at its provider, then here. If the provider no longer has the file, it is only deleted here. */
export async function deleteFile(call: ObjectCall, id: string): Promise<JsonObject> {
  const object = await findObject(call, 'file', id)
  const owner = ownerOf(object, call)
  const path = `/files/${encodeURIComponent(object.providerId)}`
  try {
    await askProvider({ owner, method: 'DELETE', path, timeoutMs: SMALL_ANSWER_MS }, call)
  } catch (error) {
    if (!(error instanceof GatewayError) || error.failure.upstream?.status !== 404) throw error
  }
  await call.remoteObjects.delete(object.keyId, object.id)
  return { id: object.id, object: 'file', deleted: true }
}

/** Sends a file's content as it arrives, at the pace of its caller. Its lines contain the gateway's names and IDs. */
export async function sendContent(call: ObjectCall, id: string): Promise<ExchangeOutcome> {
  const object = await findObject(call, 'file', id)
  const owner = ownerOf(object, call)
  const path = `/files/${encodeURIComponent(object.providerId)}/content`
  return streamAnswer(call, { owner, path, ...showLines((line) => showLine(line, object)) })
}

function showLine(line: Buffer, { id, publicName, detail }: RemoteObject): Buffer {
  const isOutput = detail.type === 'file' && detail.purpose === 'batch_output'
  const shown = isOutput
    ? showOutputLine(line, id)
    : changeTexts(line, [{ path: ['body', 'model'], change: () => publicName }])
  if (shown !== undefined) return shown
  throw badAnswer('a line of the file is no JSON object')
}
