import { createHash } from 'node:crypto'
import { GatewayError } from '../../canonical/failure.ts'
import { filesOf } from '../../canonical/uploads/uploaded-form.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { createPlainObjectId } from '../../kit/random/ids.ts'
import { DAY_MS } from '../../kit/time/time-units.ts'
import type { RemoteObject } from '../../stored-answers/remote-object.ts'
import { createUploadBody } from '../../uploads/upload-body.ts'
import type { UpstreamHeaders } from '../../upstream/upstream.ts'
import { endpointOf } from '../attempt/build-upstream-request.ts'
import { askForText, badAnswer } from '../batches/call-provider.ts'
import { chooseHolder } from '../batches/choose-holder.ts'
import { findObject, type ObjectCall, ownerOf, SMALL_ANSWER_MS } from '../batches/object-input.ts'
import type { FoundOwner } from '../retrieval/owner-lane.ts'
import { readStatedTime, showGeminiFile, withFileOrigin } from './show-gemini-objects.ts'

/** The time after which an unfinished session is dropped. */
const SESSION_LIFE_MS = DAY_MS
/** The time for which files are stored (https://ai.google.dev/gemini-api/docs/files, seen 2026-11-25). */
const FILE_LIFE_MS = 2 * DAY_MS

export interface SessionAnswer {
  readonly headers: Readonly<Record<string, string>>
  /** Empty where the answer has no body. */
  readonly body: string
}

/**
 * Opens a session for an upload in parts at the provider, and returns the address of the gateway's own session
 * (https://ai.google.dev/gemini-api/docs/files, seen 2026-11-25). Rejects with `GatewayError`.
 */
export async function startUpload(call: ObjectCall): Promise<SessionAnswer> {
  const { request, clock, remoteObjects } = call
  const { headers } = request
  requireStart(headers)
  const file = readFileFields(call)
  const owner = chooseHolder(call, 'geminiFiles')
  const { candidate } = owner
  const { channel } = candidate.target
  const answer = await askForText(
    {
      owner,
      method: 'POST',
      path: uploadPathOf(owner),
      isHostPath: true,
      headers: {
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-command': 'start',
        ...pickHeaders(headers, ['x-goog-upload-header-content-length', 'x-goog-upload-header-content-type']),
      },
      body: { file },
      timeoutMs: SMALL_ANSWER_MS,
    },
    call,
  )
  const sessionPath = readSessionPath(answer.headers, owner)
  const createdAtMs = clock.nowMs()
  const id = createPlainObjectId(createdAtMs)
  await remoteObjects.add({
    keyId: request.caller.keyId,
    id,
    channelName: channel.name,
    credentialId: candidate.credential?.id,
    publicName: '',
    upstreamModel: '',
    providerId: createHash('sha256').update(sessionPath).digest('hex'),
    createdAtMs,
    expiresAtMs: createdAtMs + SESSION_LIFE_MS,
    pollAtMs: undefined,
    detail: { type: 'gemini-upload', sessionPath },
  })
  const address = `${request.origin}/upload/v1beta/sessions/${id}`
  return { headers: { ...showStatus(answer.headers), 'x-goog-upload-url': address }, body: '' }
}

function requireStart(headers: ObjectCall['request']['headers']): void {
  if (headers['x-goog-upload-protocol'] === 'resumable' && headers['x-goog-upload-command'] === 'start')
    return
  throw new GatewayError('operation_not_supported', {
    message:
      'Files are uploaded by the resumable protocol alone: begin with the headers "X-Goog-Upload-Protocol: resumable" and "X-Goog-Upload-Command: start".',
  })
}

/** Continues an upload: with a part of it, its end, a query of its progress, or its cancellation. */
export async function continueUpload(call: ObjectCall, id: string): Promise<SessionAnswer> {
  const session = await findObject(call, 'gemini-upload', id)
  const { detail } = session
  if (detail.type !== 'gemini-upload') throw badAnswer('it is no upload')
  const owner = ownerOf(session, call)
  const { channel } = owner.candidate.target
  const [file] = filesOf(call.request.form)
  const content = file?.content
  const hasContent = content !== undefined && content.length > 0
  const answer = await askForText(
    {
      owner,
      method: 'POST',
      path: detail.sessionPath,
      isHostPath: true,
      headers: pickHeaders(call.request.headers, ['x-goog-upload-command', 'x-goog-upload-offset']),
      ...(hasContent && {
        upload: {
          contentType: 'application/octet-stream',
          body: createUploadBody([{ content, encoding: 'raw' }]),
        },
      }),
      timeoutMs: channel.timeouts.totalMs,
    },
    call,
  )
  const { target } = owner.candidate
  call.attempts.answeredBy({ type: 'target', target, losses: [], isRecovered: false })
  const headers = showStatus(answer.headers)
  if (headers['x-goog-upload-status'] === undefined) throw badAnswer('it says nothing of the upload')
  if (headers['x-goog-upload-status'] !== 'final') return { headers, body: '' }
  const shown = await storeFile(call, session, answer.text)
  return { headers, body: JSON.stringify({ file: withFileOrigin(shown, call.request.origin) }) }
}

/** Stores the file of a finished upload with its owner. */
async function storeFile(
  { clock, remoteObjects }: ObjectCall,
  session: RemoteObject,
  text: string,
): Promise<JsonObject> {
  const value = tryParseJson(text)
  const remote = isJsonObject(value) ? value['file'] : undefined
  if (!isJsonObject(remote)) throw badAnswer('it holds no file')
  const { name, uri } = remote
  if (typeof name !== 'string' || !/^files\/[\w-]{1,64}$/.test(name)) throw badAnswer('the file has no name')
  const createdAtMs = clock.nowMs()
  const id = createPlainObjectId(createdAtMs)
  const shown = showGeminiFile(remote, id)
  await remoteObjects.add({
    ...session,
    id,
    providerId: name,
    createdAtMs,
    expiresAtMs: readStatedTime(remote['expirationTime']) ?? createdAtMs + FILE_LIFE_MS,
    detail: { type: 'gemini-file', shown, uri: typeof uri === 'string' ? uri : undefined },
  })
  // Another request may have ended the same upload, and then its file is the stored one.
  const { keyId, channelName } = session
  const stored = await remoteObjects.findRemote(keyId, channelName, name)
  await remoteObjects.delete(keyId, session.id)
  return stored?.detail.type === 'gemini-file' ? stored.detail.shown : shown
}

/**
 * The fields of the new file that are passed on. Its name is chosen here, since all keys share the provider's account.
 */
function readFileFields({ request: { body } }: ObjectCall): JsonObject {
  const value = body.length === 0 ? {} : tryParseJson(body.text())
  if (!isJsonObject(value)) throw new GatewayError('body_not_object')
  const file = value['file']
  const { name, displayName, display_name: otherSpelling, mimeType } = isJsonObject(file) ? file : {}
  if (name !== undefined && name !== null && name !== '')
    throw new GatewayError('invalid_field', {
      param: 'file.name',
      message: 'The field "file.name" cannot be chosen here: leave it out, and use the name of the answer.',
    })
  const shown = displayName ?? otherSpelling
  return {
    ...(typeof shown === 'string' && { displayName: shown }),
    ...(typeof mimeType === 'string' && { mimeType }),
  }
}

/** The path for uploads. `/upload` comes before the version (https://ai.google.dev/api/files, seen 2026-11-25). */
function uploadPathOf({ candidate }: FoundOwner): string {
  const { basePath } = endpointOf(candidate.target.channel)
  return `${basePath.replace(/(?=\/v1\w*$)/, '/upload')}/files`
}

/** The session's path on the channel's own host. Throws if the provider names another host. */
function readSessionPath(headers: UpstreamHeaders, { candidate }: FoundOwner): string {
  const [address] = [headers['x-goog-upload-url']].flat()
  const { origin } = endpointOf(candidate.target.channel)
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined) throw badAnswer('it names no address for the upload')
  if (url.origin !== origin) throw badAnswer('the address for the upload is on another host')
  return url.pathname + url.search
}

const statusHeaders = [
  'x-goog-upload-status',
  'x-goog-upload-size-received',
  'x-goog-upload-chunk-granularity',
] as const

function showStatus(headers: UpstreamHeaders): Readonly<Record<string, string>> {
  return pickHeaders(headers, statusHeaders)
}

function pickHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const picked: Record<string, string> = {}
  for (const name of names) {
    const [value] = [headers[name]].flat()
    if (value !== undefined) picked[name] = value
  }
  return picked
}
