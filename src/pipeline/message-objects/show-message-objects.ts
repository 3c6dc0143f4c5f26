import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { changeTexts, type TextChange } from '../batches/batch-line.ts'
import { withoutIds } from '../batches/call-provider.ts'

/** The fields of a batch that contain no name of a provider. All others are left out. */
const batchFields = [
  'processing_status',
  'request_counts',
  'created_at',
  'ended_at',
  'expires_at',
  'archived_at',
  'cancel_initiated_at',
] as const

/** A provider's batch of messages as its key sees it. The address of its results is a path of the gateway. */
export function showMessageBatch(remote: JsonObject, id: string): JsonObject {
  const plain = batchFields.map((name): [string, JsonValue] => [name, remote[name] ?? null])
  const hasResults = typeof remote['results_url'] === 'string'
  return {
    id,
    type: 'message_batch',
    ...Object.fromEntries(plain),
    results_url: hasResults ? `/v1/messages/batches/${id}/results` : null,
  }
}

/** A batch with the full address of its results, for the caller's own programs. */
export function withOrigin(shown: JsonObject, origin: string): JsonObject {
  const path = shown['results_url']
  return typeof path === 'string' ? { ...shown, results_url: origin + path } : shown
}

/**
 * A line of a batch's results with the gateway's IDs instead of the provider's. They are the same each time the line is
 * read.
 */
export function showResultLine(line: Buffer, batchId: string): Buffer | undefined {
  const digest = (theirs: string) =>
    createHash('sha256').update(`${batchId}|${theirs}`).digest('hex').slice(0, 32)
  const changes: readonly TextChange[] = [
    { path: ['result', 'message', 'id'], change: (theirs) => `msg_${digest(theirs)}` },
    { path: ['result', 'message', 'container', 'id'], change: (theirs) => `container_${digest(theirs)}` },
    { path: ['result', 'error', 'request_id'], change: (theirs) => `req_${digest(theirs)}` },
    { path: ['result', 'error', 'error', 'message'], change: withoutIds },
    { path: ['result', 'error', 'message'], change: withoutIds },
  ]
  return changeTexts(line, changes)
}

/** The fields of a file that contain no name of a provider. */
const fileFields = [
  'filename',
  'mime_type',
  'size_bytes',
  'created_at',
  'downloadable',
  'expires_at',
] as const

/** A provider's file as its key sees it. */
export function showMessageFile(remote: JsonObject, id: string): JsonObject {
  const plain = fileFields.flatMap((name) => (remote[name] === undefined ? [] : [[name, remote[name]]]))
  return { id, type: 'file', ...Object.fromEntries(plain) }
}

/** The answer in a line of results; undefined for an error, a cancellation or an expiry, which are not billed. */
export function readSucceeded(value: JsonValue | undefined): SucceededResult | undefined {
  if (!isJsonObject(value)) return undefined
  const { custom_id: customId, result } = value
  if (typeof customId !== 'string' || !isJsonObject(result) || result['type'] !== 'succeeded')
    return undefined
  return { customId, message: result['message'] ?? null }
}

export interface SucceededResult {
  readonly customId: string
  readonly message: JsonValue
}
