import type { ErrorName } from '../script/error-words.ts'
import type { FaultInput } from '../script/fault-schema.ts'
import { both, type ReadyScript, readyScript, streams } from './ready-script.ts'

type Row = readonly [name: string, description: string, reply: NonNullable<FaultInput['reply']>]

const error = (name: ErrorName) => ({ error: name })

const rows: readonly Row[] = [
  ['F13-seconds', '429, come back in 2 seconds', { error: 'rate-limit', retry_after: { seconds: 2 } }],
  ['F13-milliseconds', '429, come back in 1500 ms', { error: 'rate-limit', retry_after: { ms: 1500 } }],
  [
    'F13-date',
    '429, come back at a time 3 seconds from now',
    { error: 'rate-limit', retry_after: { date_in: '3s' } },
  ],
  ['F13-hour', '429, come back in an hour', { error: 'rate-limit', retry_after: { seconds: 3600 } }],
  ['F13-unsaid', '429 without any time', error('rate-limit')],
  [
    'F13-unreadable',
    '429 with a time that nobody can read',
    { error: 'rate-limit', retry_after: { text: 'soon' } },
  ],
  ['F14-402', 'out of credit, said with 402', error('out-of-credit')],
  ['F14-as-429', 'out of credit, said with 429', error('out-of-credit-as-429')],
  ['F14-as-400', 'out of credit, disguised as a fault of the request', error('out-of-credit-as-400')],
  ['F14-as-403', 'out of credit, disguised as a missing permission', error('out-of-credit-as-403')],
  ['F15-500', 'an error of the server', error('internal')],
  ['F15-502', 'a page of a proxy that reaches nothing', { error: 'bad-gateway', shape: 'html' }],
  ['F15-504', 'a proxy that waited too long', error('gateway-timeout')],
  [
    'F15-520',
    'a page of a proxy that understood nothing',
    { status: 520, error: 'bad-gateway', shape: 'html' },
  ],
  ['F15-empty', '500 without a body', { error: 'internal', shape: 'empty' }],
  ['F16-503', 'temporarily unavailable', error('unavailable')],
  ['F16-529', 'overloaded', error('overloaded')],
  ['F16-retry-after', '503, come back in 2 seconds', { error: 'unavailable', retry_after: { seconds: 2 } }],
  ['F17-401', 'our key is refused', error('credential')],
  ['F17-403', 'our key has no permission', error('forbidden')],
  ['F17-page', '403 as a page of something before the API', { error: 'forbidden', shape: 'html' }],
  ['F18-404', 'the model is not there', error('model-missing')],
  ['F19-400', 'the context is too long', error('context-length')],
  ['F20-400', 'a field has a wrong value', error('bad-request')],
  ['F20-408', 'the request came too slowly', error('request-timeout')],
  ['F20-409', 'a conflict', error('conflict')],
  ['F20-422', 'a field could not be processed', error('unprocessable')],
  ['F20-detail', '422 as a list of details', { error: 'unprocessable', shape: 'detail' }],
  ['F21-413', 'the request is too large', error('too-large')],
  ['F22-400', 'refused by the content policy', error('content-policy')],
]

const filtered: readonly ReadyScript[] = (['chat', 'messages'] as const).map((format) =>
  readyScript({
    name: `F22-finish-${format}`,
    description: 'a filter ends the answer with a proper finish',
    phase: 'before-content',
    forms: ['whole'],
    formats: [format],
    always: { reply: { body: format === 'chat' ? filteredChat() : refusedMessage() } },
  }),
)

/** F13 to F22: the upstream says no. */
export const statusFaults: readonly ReadyScript[] = [
  ...rows.map(([name, description, reply]) =>
    readyScript({ name, description, phase: 'before-content', forms: both, always: { reply } }),
  ),
  ...filtered,
  readyScript({
    name: 'F16-in-stream',
    description: 'overloaded, said after ten words',
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
