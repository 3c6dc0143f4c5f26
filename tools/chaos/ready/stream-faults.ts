import type { FaultInput } from '../script/fault-schema.ts'
import { both, type ReadyScript, readyScript, streams } from './ready-script.ts'

type Row = readonly [name: string, description: string, fault: FaultInput]

const middle = { words: 10 } as const

/** Faults before the first content. */
const early: readonly Row[] = [
  [
    'F23-empty-stream',
    'a good status without events',
    {
      events: [
        { drop: 'start' },
        { drop: 'content' },
        { drop: 'finish' },
        { drop: 'usage' },
        { drop: 'terminator' },
      ],
    },
  ],
  [
    'F23-no-content',
    'a start and an end without content',
    { events: [{ drop: 'content' }, { drop: 'finish' }] },
  ],
  [
    'F24-empty-deltas',
    'empty deltas before the words',
    { events: [{ insert: 'empty-delta', after: 'content', times: 5 }] },
  ],
  [
    'F24-no-choices',
    'chunks without choices before the words',
    { events: [{ insert: 'empty-choices', after: 'content', times: 3 }] },
  ],
  [
    'F25-overloaded',
    'the first event is an error: overloaded',
    { events: [{ insert: 'error', error: 'overloaded', after: 'headers', last: true }] },
  ],
  [
    'F25-rate-limit',
    'the first event is an error: rate limit',
    { events: [{ insert: 'error', error: 'rate-limit', after: 'headers', last: true }] },
  ],
  [
    'F25-after-start',
    'an error right after the start event',
    { events: [{ insert: 'error', error: 'internal', after: 'content', last: true }] },
  ],
  ['F29-second-start', 'the start event is sent twice', { events: [{ repeat: 'start' }] }],
  ['F31-crlf', 'lines end in CRLF', { text: { line_ends: 'crlf' } }],
  ['F31-cr', 'lines end in CR', { text: { line_ends: 'cr' } }],
  ['F31-mixed', 'line ends of all three kinds', { text: { line_ends: 'mixed' } }],
  ['F31-no-blank-line', 'the last event has no blank line after it', { text: { last_blank_line: false } }],
  ['F32-mark', 'a byte order mark before the first event', { text: { byte_order_mark: true } }],
  [
    'F35-comments',
    'comments, pings and lines without data',
    {
      events: [
        { insert: 'comment', after: 'headers', times: 3 },
        { insert: 'ping', after: middle },
        { insert: 'field-lines', after: middle },
      ],
    },
  ],
  ['F35-unknown', 'an unknown event', { events: [{ insert: 'unknown-event', after: 'content' }] }],
]

/** Faults after the first content. */
const late: readonly Row[] = [
  ['F24-usage-missing', 'the usage is missing', { usage: 'missing' }],
  ['F24-usage-negative', 'the usage is negative', { usage: 'negative' }],
  ['F24-usage-huge', 'the usage is 1e18', { usage: 'huge' }],
  ['F24-usage-text', 'the usage is text', { usage: 'text' }],
  [
    'F26-error-later',
    'an error after ten words',
    { events: [{ insert: 'error', error: 'internal', after: middle, last: true }] },
  ],
  [
    'F26-rate-limit',
    'a rate limit after ten words',
    { events: [{ insert: 'error', error: 'rate-limit', after: middle, last: true }] },
  ],
  ['F29-repeat', 'the end event is sent twice', { events: [{ repeat: 'terminator' }] }],
  ['F29-after-end', 'words after the end', { events: [{ insert: 'content', after: 'end', times: 3 }] }],
  [
    'F30-closed-block',
    'words for a closed block',
    { events: [{ insert: 'late-delta', after: 'terminator' }] },
  ],
  [
    'F30-wrong-index',
    'words for a block that was never opened',
    { events: [{ insert: 'wrong-index', after: middle }] },
  ],
  ['F30-swap', 'two events in the wrong order', { events: [{ swap: middle }] }],
  ['F34-broken', 'invalid UTF-8 among the words', { events: [{ insert: 'invalid-utf8', after: middle }] }],
]

const missingEnds: readonly ReadyScript[] = (
  [
    ['F27', 'chat', '[DONE]'],
    ['F28', 'messages', 'message_stop'],
  ] as const
).flatMap(([id, format, end]) => [
  readyScript({
    name: `${id}-finish-seen`,
    description: `the finish reason arrives, ${end} is missing`,
    phase: 'after-content',
    forms: streams,
    formats: [format],
    always: { events: [{ drop: 'terminator' }] },
  }),
  readyScript({
    name: `${id}-finish-missing`,
    description: `the finish reason and ${end} are missing`,
    phase: 'after-content',
    forms: streams,
    formats: [format],
    always: { events: [{ drop: 'terminator' }, { drop: 'finish' }, { drop: 'usage' }] },
  }),
])

/** F23 to F35: events that are missing, repeated, out of order or oddly encoded. */
export const streamFaults: readonly ReadyScript[] = [
  ...early.map(([name, description, always]) =>
    readyScript({ name, description, phase: 'before-content', forms: streams, always }),
  ),
  ...late.map(([name, description, always]) =>
    readyScript({ name, description, phase: 'after-content', forms: streams, always }),
  ),
  ...missingEnds,
  readyScript({
    name: 'F23-empty-choices',
    description: 'a whole answer with no choices',
    phase: 'before-content',
    forms: ['whole'],
    formats: ['chat'],
    always: {
      reply: { body: { id: 'fault', object: 'chat.completion', created: 0, model: 'fault', choices: [] } },
    },
  }),
  readyScript({
    name: 'F23-empty-body',
    description: 'a whole answer that is an empty object',
    phase: 'before-content',
    forms: ['whole'],
    always: { reply: { body: {} } },
  }),
  readyScript({
    name: 'F32-mark-whole',
    description: 'a byte order mark before the body',
    phase: 'before-content',
    forms: both,
    always: { text: { byte_order_mark: true } },
  }),
  readyScript({
    name: 'F33-split',
    description: 'multi-byte characters, one byte per write',
    phase: 'before-content',
    forms: both,
    script: { answer: { words: 5 } },
    always: { text: { wide_characters: true }, drip: { bytes: 1, every: '1ms' } },
  }),
]
