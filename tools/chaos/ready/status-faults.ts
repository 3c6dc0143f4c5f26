import type { ErrorName } from '../script/error-words.ts'
import type { FaultInput } from '../script/fault-schema.ts'
import { both, type ReadyScript, readyScript, streams } from './ready-script.ts'

type Row = readonly [name: string, description: string, reply: NonNullable<FaultInput['reply']>]

const error = (name: ErrorName) => ({ error: name })

const rows: readonly Row[] = [
  ['F13-seconds', '429, retry after 2 seconds', { error: 'rate-limit', retry_after: { seconds: 2 } }],
  ['F13-milliseconds', '429, retry after 1500 ms', { error: 'rate-limit', retry_after: { ms: 1500 } }],
  [
    'F13-date',
    '429, retry at a date 3 seconds from now',
    { error: 'rate-limit', retry_after: { date_in: '3s' } },
  ],
  ['F13-hour', '429, retry after an hour', { error: 'rate-limit', retry_after: { seconds: 3600 } }],
  ['F13-unsaid', '429 without a retry time', error('rate-limit')],
  [
    'F13-unreadable',
    '429 with an invalid retry time',
    { error: 'rate-limit', retry_after: { text: 'soon' } },
  ],
  ['F14-402', 'out of credit, as 402', error('out-of-credit')],
  ['F14-as-429', 'out of credit, as 429', error('out-of-credit-as-429')],
  ['F14-as-400', 'out of credit, as 400', error('out-of-credit-as-400')],
  ['F14-as-403', 'out of credit, as 403', error('out-of-credit-as-403')],
  ['F15-500', '500 with an error of the server', error('internal')],
  ['F15-502', '502 with an HTML page of a proxy', { error: 'bad-gateway', shape: 'html' }],
  ['F15-504', '504 after a timeout of the provider', error('gateway-timeout')],
  ['F15-520', '520 with an HTML page of a proxy', { status: 520, error: 'bad-gateway', shape: 'html' }],
  ['F15-empty', '500 without a body', { error: 'internal', shape: 'empty' }],
  ['F16-503', '503, temporarily unavailable', error('unavailable')],
  ['F16-529', '529, overloaded', error('overloaded')],
  ['F16-retry-after', '503, retry after 2 seconds', { error: 'unavailable', retry_after: { seconds: 2 } }],
  ['F17-401', '401, the key is invalid', error('credential')],
  ['F17-403', '403, the key lacks the permission', error('forbidden')],
  ['F17-page', '403 with an HTML page', { error: 'forbidden', shape: 'html' }],
  ['F18-404', '404, the model does not exist', error('model-missing')],
  ['F19-400', '400, the context is too long', error('context-length')],
  ['F20-400', '400, a field has an invalid value', error('bad-request')],
  ['F20-408', '408, the request took too long to arrive', error('request-timeout')],
  ['F20-409', '409, a conflict', error('conflict')],
  ['F20-422', '422, a field could not be processed', error('unprocessable')],
  ['F20-detail', '422 in the shape "detail"', { error: 'unprocessable', shape: 'detail' }],
  ['F21-413', '413, the request is too large', error('too-large')],
  ['F22-400', '400, refused by the content policy', error('content-policy')],
]

const filtered: readonly ReadyScript[] = (['chat', 'messages'] as const).map((format) =>
  readyScript({
    name: `F22-finish-${format}`,
    description: 'a content filter ends the answer, with its finish reason',
    phase: 'before-content',
    forms: ['whole'],
    formats: [format],
    always: { reply: { body: format === 'chat' ? filteredChat() : refusedMessage() } },
  }),
)

/** F13 to F22: an error status, or a refusal. */
export const statusFaults: readonly ReadyScript[] = [
  ...rows.map(([name, description, reply]) =>
    readyScript({ name, description, phase: 'before-content', forms: both, always: { reply } }),
  ),
  ...filtered,
  readyScript({
    name: 'F16-in-stream',
    description: 'an overload error after ten words',
    phase: 'after-content',
    forms: streams,
    always: { events: [{ insert: 'error', error: 'overloaded', after: { words: 10 }, last: true }] },
  }),
]

function filteredChat() {
  const message = { role: 'assistant', content: '', refusal: null }
  return {
    id: 'fault',
    object: 'chat.completion',
    created: 0,
    model: 'fault',
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'content_filter' }],
    usage: { prompt_tokens: 3, completion_tokens: 0, total_tokens: 3 },
  }
}

function refusedMessage() {
  return {
    id: 'fault',
    type: 'message',
    role: 'assistant',
    model: 'fault',
    content: [],
    stop_reason: 'refusal',
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 0 },
  }
}
