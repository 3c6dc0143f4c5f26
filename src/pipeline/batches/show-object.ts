import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { unixSeconds } from '../../kit/time/unix-seconds.ts'
import type { RemoteObject } from '../../stored-answers/remote-object.ts'
import { changeTexts, type TextChange } from './batch-line.ts'
import { withoutIds } from './call-provider.ts'

/** A file as its key sees it. */
export function showFile({ id, createdAtMs, expiresAtMs, detail }: RemoteObject): JsonObject {
  if (detail.type !== 'file') return {}
  return {
    id,
    object: 'file',
    bytes: detail.bytes,
    created_at: unixSeconds(createdAtMs),
    expires_at: unixSeconds(expiresAtMs),
    filename: detail.filename,
    purpose: detail.purpose,
    status: 'processed',
    status_details: null,
  }
}

/** The fields of a batch that contain no ID of a provider. All others are left out. */
const plainFields = [
  'endpoint',
  'completion_window',
  'status',
  'created_at',
  'in_progress_at',
  'expires_at',
  'finalizing_at',
  'completed_at',
  'failed_at',
  'expired_at',
  'cancelling_at',
  'cancelled_at',
  'request_counts',
  'metadata',
  'usage',
] as const

export interface ShownIds {
  readonly id: string
  readonly inputFileId: string
  readonly outputFileId: string | undefined
  readonly errorFileId: string | undefined
  readonly model: string
}

/** A provider's batch as its key sees it, with the gateway's IDs and its name of the model. */
export function showBatch(remote: JsonObject, ids: ShownIds): JsonObject {
  const plain = plainFields.flatMap((name) => (remote[name] === undefined ? [] : [[name, remote[name]]]))
  return {
    id: ids.id,
    object: 'batch',
    ...Object.fromEntries(plain),
    model: ids.model,
    errors: showErrors(remote['errors']),
    input_file_id: ids.inputFileId,
    output_file_id: ids.outputFileId ?? null,
    error_file_id: ids.errorFileId ?? null,
  }
}

const errorFields = ['code', 'message', 'param', 'line'] as const

function showErrors(errors: JsonValue | undefined): JsonValue {
  const data = isJsonObject(errors) ? errors['data'] : undefined
  if (!Array.isArray(data)) return null
  const shown = data.filter(isJsonObject).map((error) =>
    Object.fromEntries(
      errorFields.map((name) => {
        const value = error[name] ?? null
        return [name, typeof value === 'string' ? withoutIds(value) : value]
      }),
    ),
  )
  return { object: 'list', data: shown }
}

/**
 * A line of a batch's output with the gateway's IDs instead of the provider's. They are the same each time the line is
 * read.
 */
export function showOutputLine(line: Buffer, batchFileId: string): Buffer | undefined {
  const ours = (prefix: string) => (theirs: string) =>
    prefix + createHash('sha256').update(`${batchFileId}|${theirs}`).digest('hex').slice(0, 32)
  const withPrefix = (theirs: string) => ours(/^[a-z]{1,12}[-_]/i.exec(theirs)?.[0] ?? '')(theirs)
  const changes: readonly TextChange[] = [
    { path: ['id'], change: ours('batch_req_') },
    { path: ['response', 'request_id'], change: ours('req_') },
    { path: ['response', 'body', 'id'], change: withPrefix },
    { path: ['error', 'message'], change: withoutIds },
  ]
  return changeTexts(line, changes)
}
