import type { BodyBytes } from '../../../kit/json/body-bytes.ts'
import type { AnswerForm } from '../../answer-form.ts'
import { readStreamOptions } from '../../openai/verbatim/splice-request.ts'
import { fieldValue, requireMessages, scanBody } from '../../verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/**
 * The top-level fields that affect routing, behavior or price: the model, the number and length of answers, the service
 * tier, paid tools, and what the provider stores.
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
  'plugins',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'search_parameters',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'thinking',
  'thinking_budget',
  'tool_choice',
  'tools',
  'user',
  'web_search_options',
])

/** Checks only the fields that the gateway itself reads or changes. The upstream checks the rest. */
export function scanRequest(body: BodyBytes): ScannedRequest {
  const scanned = scanBody(body, watchedFields)
  requireMessages(scanned)
  readStreamOptions(scanned)
  return scanned
}

/** Callers that send only `functions` expect a `function_call` in the reply. */
export function answerFormOf(scanned: ScannedRequest): AnswerForm {
  return { legacyCalls: lists(scanned, 'functions') && !lists(scanned, 'tools') }
}

/** Whether a field is a list that is not empty. */
function lists({ body, fields }: ScannedRequest, name: string): boolean {
  const field = fields.get(name)
  const value = field === undefined ? undefined : fieldValue(body, field)
  return Array.isArray(value) && value.length > 0
}
