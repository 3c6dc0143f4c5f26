import { both, type ReadyScript, readyScript, streams, wholes } from './ready-script.ts'

const before = { phase: 'before-content', forms: both } as const
const whole = { phase: 'before-content', forms: wholes } as const
const early = { phase: 'before-content', forms: streams } as const
const late = { phase: 'after-content', forms: streams } as const

/** F9 to F12: a good status with a bad body. */
export const bodyFaults: readonly ReadyScript[] = [
  readyScript({
    ...whole,
    name: 'F9-truncated',
    description: 'the JSON is cut, below its content-length',
    always: { cut: { after: { words: 5 }, by: 'fin' } },
  }),
  readyScript({
    ...whole,
    name: 'F9-length',
    description: 'the body is shorter than its content-length',
    always: { framing: { content_length: 'long' } },
  }),
  readyScript({
    ...before,
    name: 'F9-no-last-chunk',
    description: 'the chunked body has no last chunk',
    always: { framing: { chunked: 'no-last' } },
  }),
  readyScript({
    ...before,
    name: 'F9-until-close',
    description: 'a body without a length, cut by a close',
    always: { framing: { until_close: true }, cut: { after: { bytes: 40 }, by: 'fin' } },
  }),
  readyScript({
    ...early,
    name: 'F10-first-event',
    description: 'the first event is not valid JSON',
    always: { events: [{ insert: 'invalid-json', after: 'headers' }] },
  }),
  readyScript({
    ...late,
    name: 'F10-later-event',
    description: 'an event in the middle is not valid JSON',
    always: { events: [{ insert: 'invalid-json', after: { words: 10 } }] },
  }),
  readyScript({
    ...late,
    name: 'F10-half-event',
    description: 'an event in the middle holds half an object',
    always: { events: [{ insert: 'truncated-json', after: { words: 10 } }] },
  }),
  readyScript({
    ...whole,
    name: 'F10-body',
    description: 'the body is not valid JSON',
    always: { reply: { status: 200, body: '{"id": oops}', content_type: 'application/json' } },
  }),
  readyScript({
    ...before,
    name: 'F11-page',
    description: 'status 200 with an HTML page of a proxy',
    always: { reply: { status: 200, error: 'bad-gateway', shape: 'html' } },
  }),
  readyScript({
    ...before,
    name: 'F11-type',
    description: 'a good body with another content type',
    always: { reply: { content_type: 'application/octet-stream' } },
  }),
  readyScript({
    ...before,
    name: 'F11-empty',
    description: 'status 200 without a body',
    always: { reply: { status: 200, error: 'internal', shape: 'empty' } },
  }),
  ...(['own', 'error-text', 'object-error', 'code-message', 'type-error', 'base-resp'] as const).map(
    (shape) =>
      readyScript({
        ...before,
        name: `F12-${shape}`,
        description: `status 200 with an error of the shape "${shape}"`,
        always: { reply: { status: 200, error: 'overloaded', shape } },
      }),
  ),
  readyScript({
    ...late,
    name: 'F12-in-stream',
    description: 'an event holds an error without a type',
    always: {
      events: [
        { insert: 'error', error: 'internal', shape: 'code-message', after: { words: 10 }, last: true },
      ],
    },
  }),
]
