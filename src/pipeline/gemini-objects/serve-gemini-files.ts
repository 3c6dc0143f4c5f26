import { GatewayError } from '../../canonical/failure.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { RemoteObject } from '../../stored-answers/remote-object.ts'
import { askProvider } from '../batches/call-provider.ts'
import { findObject, type ObjectCall, ownerOf, SMALL_ANSWER_MS } from '../batches/object-input.ts'
import type { RequestedGeminiFile } from '../exchange/caller-request.ts'
import { findShownPage } from './find-shown-page.ts'
import { showGeminiFile, withFileOrigin } from './show-gemini-objects.ts'

/** The limits of https://ai.google.dev/api/files#method:-files.list, seen 2026-11-25. */
const pageBounds = { defaultSize: 10, maxSize: 100 }

/** A request for files that are uploaded already. */
export interface StoredFileRequest extends Pick<RequestedGeminiFile, 'id'> {
  readonly action: Exclude<RequestedGeminiFile['action'], 'start' | 'continue'>
}

/** Serves everything except uploads. Rejects with `GatewayError`. */
export async function serveGeminiFile(
  call: ObjectCall,
  { action, id }: StoredFileRequest,
): Promise<JsonObject> {
  switch (action) {
    case 'list': {
      const { objects, next } = await findShownPage(call, 'gemini-file', pageBounds)
      return { ...(objects.length > 0 && { files: objects.map((file) => show(file, call)) }), ...next }
    }
    case 'show':
      return show(await lookAtFile(call, id), call)
    case 'delete':
      return deleteFile(call, id)
  }
}

function show({ detail }: RemoteObject, { request }: ObjectCall): JsonObject {
  return detail.type === 'gemini-file' ? withFileOrigin(detail.shown, request.origin) : {}
}

/** The current state of a file at its provider. The file is not ready until its state says so. */
async function lookAtFile(call: ObjectCall, id: string): Promise<RemoteObject> {
  const file = await findObject(call, 'gemini-file', id)
  const { detail } = file
  if (detail.type !== 'gemini-file') return file
  const owner = ownerOf(file, call)
  const ask = { owner, method: 'GET', path: `/${file.providerId}`, timeoutMs: SMALL_ANSWER_MS } as const
  const remote = await askProvider(ask, call)
  const { target } = owner.candidate
  call.attempts.answeredBy({ type: 'target', target, losses: [], isRecovered: false })
  const seen = { ...file, detail: { ...detail, shown: showGeminiFile(remote, id) } }
  await call.remoteObjects.update(seen)
  return seen
}

/** Deletes a file at its provider, then here. If the provider no longer has the file, it is only deleted here. */
async function deleteFile(call: ObjectCall, id: string): Promise<JsonObject> {
  const file = await findObject(call, 'gemini-file', id)
  const owner = ownerOf(file, call)
  try {
    const ask = { owner, method: 'DELETE', path: `/${file.providerId}`, timeoutMs: SMALL_ANSWER_MS } as const
    await askProvider(ask, call)
  } catch (error) {
    if (!(error instanceof GatewayError) || error.failure.upstream?.status !== 404) throw error
  }
  await call.remoteObjects.delete(file.keyId, file.id)
  return {}
}
