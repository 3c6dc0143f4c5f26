import { GatewayError } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject } from '../../kit/json.ts'
import { fieldText, fieldValue, scanBody } from '../scan-body.ts'
import type { ScannedRequest } from '../wire-format.ts'

/**
 * The top-level fields that route, steer or price: which model answers how, how often, how long, at which tier, with
 * which paid tools, and what is kept.
 */
const watchedFields: ReadonlySet<string> = new Set([
  'audio',
  'best_of',
  'function_call',
  'functions',
  'max_completion_tokens',
  'max_tokens',
  'messages',
  'metadata',
  'modalities',
  'model',
  'moderation',
  'n',
  'parallel_tool_calls',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'tool_choice',
  'tools',
  'user',
  'web_search_options',
])

/** Checks what the gateway itself reads or changes; the upstream checks the rest. */
export function scanRequest(body: Buffer): ScannedRequest {
  const scanned = scanBody(body, watchedFields)
  checkMessages(scanned)
  readStreamOptions(scanned)
  return scanned
}

function checkMessages({ body, fields }: ScannedRequest): void {
  const field = fields.get('messages')
  if (field === undefined) {
    throw new GatewayError('missing_field', {
      param: 'messages',
      message: 'The field "messages" is missing.',
    })
  }
  const head = body.toString('latin1', field.valueStart, Math.min(field.valueEnd, field.valueStart + 64))
  const isList = head.startsWith('[')
  if (isList && !/^\[\s*\]/.test(head)) return
  throw new GatewayError('invalid_field', {
    param: 'messages',
    message: 'The field "messages" must be an array with at least one message.',
  })
}

/** The options of the stream; undefined where there are none. Throws where they are no object. */
export function readStreamOptions({ body, fields }: ScannedRequest): JsonObject | undefined {
  const field = fields.get('stream_options')
  if (field === undefined || fieldText(body, field) === 'null') return undefined
  const options = fieldValue(body, field)
  if (isJsonObject(options)) return options
  throw new GatewayError('invalid_field', {
    param: 'stream_options',
    message: 'The field "stream_options" must be an object.',
  })
}

/** Whether the caller wants usage at the end of the stream. */
export function asksForUsage(scanned: ScannedRequest): boolean {
  return scanned.stream && readStreamOptions(scanned)?.['include_usage'] === true
}
