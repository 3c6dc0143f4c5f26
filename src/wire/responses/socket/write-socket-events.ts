import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { isJsonObject, quoteText } from '../../../kit/json/json.ts'
import { tryParsePlainJson } from '../../../kit/json/try-parse-json.ts'
import type { StoredAnswerForm } from '../../answer-form.ts'
import { writeHead } from '../reply/write-response.ts'

export interface SocketRefusal {
  readonly status: number
  /** The response body that the same error has over HTTP. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** The headers of an error that a WebSocket client may need. */
const shownHeaders: ReadonlySet<string> = new Set([
  'retry-after',
  'retry-after-ms',
  'x-request-id',
  'x-should-retry',
])

/**
 * Writes an error event for a request that fails before any event of its response. It has the HTTP status and the error
 * object, as the official SDK types it (`ResponsesServerEvent.ResponseWsError`, openai 7.55.0).
 */
export function writeSocketError({ status, body, headers }: SocketRefusal): string {
  const parsed = tryParsePlainJson(body)
  const error = isJsonObject(parsed) && isJsonObject(parsed['error']) ? parsed['error'] : undefined
  const shown = Object.entries(headers).filter(
    ([name]) => shownHeaders.has(name) || name.startsWith('x-ratelimit-') || name.startsWith('x-headgate-'),
  )
  const written = error ?? { message: body, type: 'api_error', param: null, code: null }
  return JSON.stringify({ type: 'error', status, error: { ...written, headers: Object.fromEntries(shown) } })
}

/** Adds the ID of the event's stream within the connection, where the stream has one. */
export function nameStream(event: string, streamId: string | undefined): string {
  if (streamId === undefined || !event.endsWith('}')) return event
  return `${event.slice(0, -1)},"stream_id":${quoteText(streamId)}}`
}

export interface PreparedResponse extends StoredAnswerForm {
  readonly model: string
  readonly createdAtSeconds: number
}

const noUsage = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
}

/** Writes the response of a request that generates nothing. A later request can continue from it. */
export function writePreparedResponse({ model, createdAtSeconds, ...stored }: PreparedResponse): JsonObject {
  const form = { ...stored, isVolatile: true }
  const head = writeHead({ id: stored.id, model, createdAtSeconds, stored: form })
  return { ...head, status: 'completed', usage: noUsage }
}

/** Writes the events of a prepared response. */
export function writePreparedEvents(response: JsonObject): readonly string[] {
  const begun = { ...response, status: 'in_progress', usage: null }
  return [
    JSON.stringify({ type: 'response.created', sequence_number: 0, response: begun }),
    JSON.stringify({ type: 'response.completed', sequence_number: 1, response }),
  ]
}

/** Writes the answer to an event that would steer a response in progress, which is not supported. */
export function writeSteerFailure(previousId: string, input: JsonValue): string {
  const error = {
    code: 'steering_not_supported',
    message:
      'This gateway does not steer responses in progress. Wait for the end of the response, and send the input in the next "response.create".',
    type: 'invalid_request_error',
  }
  const steer = { input, previous_response_id: previousId }
  return JSON.stringify({ type: 'response.steer.failed', sequence_number: 0, error, steer })
}
