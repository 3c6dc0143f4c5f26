import { describe, expect, it } from 'vitest'
import { foldReply } from '../../../canonical/fold-reply.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { createSseParser } from '../../../kit/sse/sse-parser.ts'
import { createStreamReader } from './stream-reader.ts'

function read(...frames: readonly (object | string)[]): readonly ReplyEvent[] {
  const reader = createStreamReader()
  const text = frames
    .map((frame) => (typeof frame === 'string' ? frame : `data: ${JSON.stringify(frame)}\n\n`))
    .join('')
  const events = createSseParser()
    .push(Buffer.from(text))
    .flatMap((frame) => reader.push(frame))
  return [...events, ...reader.end()]
}

const created = { type: 'response.created', response: { id: 'r', model: 'm', created_at: 5, output: [] } }
const message = { type: 'message', role: 'assistant', content: [] }
const added = { type: 'response.output_item.added', output_index: 0, item: message }
const done = { ...message, content: [{ type: 'output_text', text: 'Hello', annotations: [] }] }
const completed = (output: readonly object[]) => ({
  type: 'response.completed',
  response: { id: 'r', model: 'm', status: 'completed', output },
})

const statusless = { type: 'response.completed', response: { id: 'r', model: 'm', output: [] } }

const delta = (text: string, more: object = {}) => ({
  type: 'response.output_text.delta',
  output_index: 0,
  content_index: 0,
  delta: text,
  ...more,
})

const text = { content: [{ type: 'text', text: 'Hello' }], stopReason: 'end' }

describe('a responses stream', () => {
  it('gives text once when its deltas name another part than the added one', () => {
    const part = { type: 'output_text', text: '', annotations: [] }
    const opened = { type: 'response.content_part.added', output_index: 0, content_index: 0, part }
    const end = { type: 'response.output_item.done', output_index: 0, item: done }
    const events = read(created, added, opened, delta('Hello', { content_index: 7 }), end, completed([done]))
    const words = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))
    expect(words).toEqual(['Hello'])
  })

  it('is read the same when servers leave out starts, deltas or ends of items', () => {
    const end = { type: 'response.output_item.done', output_index: 0, item: done }
    const streams = [
      [created, added, delta('Hel'), delta('lo'), end, completed([done])],
      [created, delta('Hel'), delta('lo'), completed([done])],
      [created, added, delta('Hel'), end, completed([])],
      [created, end, completed([done])],
      [completed([done])],
    ]
    for (const frames of streams)
      expect(foldReply(read(...frames))).toMatchObject({ id: 'r', choices: [text] })
  })

  it('gives reasoning once when the end names it otherwise, though the message retains its ID (OpenRouter)', () => {
    const thought = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] }
    const said = { ...done, id: 'msg_1' }
    const frames = [
      created,
      { type: 'response.output_item.added', output_index: 0, item: { ...thought, id: 'rs_1', content: [] } },
      {
        type: 'response.reasoning_text.delta',
        output_index: 0,
        item_id: 'rs_1',
        content_index: 0,
        delta: 'Hm.',
      },
      { type: 'response.output_item.added', output_index: 1, item: { ...message, id: 'msg_1' } },
      { type: 'response.output_item.done', output_index: 1, item: said },
      { type: 'response.output_item.done', output_index: 0, item: { ...thought, id: 'rs_1' } },
      completed([{ ...thought, id: 'rs_2' }, said]),
    ]
    const content = [{ type: 'thinking', text: 'Hm.' }, ...text.content]
    const reply = foldReply(read(...frames))
    expect(reply).toMatchObject({ choices: [{ content }] })
  })

  it('is read when only the stream numbers the parts of a message', () => {
    const end = { type: 'response.output_item.done', output_index: 0, item: done }
    const frames = [created, added, delta('Hello', { content_index: 1 }), end, completed([done])]
    expect(foldReply(read(...frames))).toMatchObject({ choices: [text] })
  })

  it('retains the log probabilities of items that the end leaves out', () => {
    const entry = { token: 'Hello', logprob: -1, bytes: null, top_logprobs: [] }
    const item = { ...done, content: [{ ...done.content[0], logprobs: [entry] }] }
    const end = { type: 'response.output_item.done', output_index: 0, item }
    expect(foldReply(read(created, added, end, completed([])))).toMatchObject({
      choices: [{ ...text, logprobs: { content: [entry] } }],
    })
  })

  it('joins the parts of reasoning, and retains their signature', () => {
    const reasoning = { type: 'reasoning', id: 'rs', summary: [] }
    const part = (index: number, words: string) => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      summary_index: index,
      delta: words,
    })
    const whole = {
      ...reasoning,
      summary: ['One.', 'Two.'].map((words) => ({ type: 'summary_text', text: words })),
      encrypted_content: 'secret',
    }
    const reply = foldReply(
      read(
        created,
        { ...added, item: reasoning },
        part(0, 'One.'),
        part(1, 'Tw'),
        part(1, 'o.'),
        { type: 'response.output_item.done', output_index: 0, item: whole },
        completed([whole]),
      ),
    )
    const extras = { format: 'responses', fields: { id: 'rs' } }
    expect(reply).toMatchObject({
      choices: [{ content: [{ type: 'thinking', text: 'One.\n\nTwo.', signature: 'secret', extras }] }],
    })
  })

  it('gives the provider’s tools whole, at the end of each', () => {
    const search = {
      type: 'web_search_call',
      id: 'ws',
      status: 'completed',
      action: { type: 'search', query: 'q' },
    }
    const reply = foldReply(
      read(
        created,
        { ...added, item: { ...search, status: 'in_progress' } },
        { type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws' },
        { type: 'response.output_item.done', output_index: 0, item: search },
        completed([search, done]),
      ),
    )
    expect(reply).toMatchObject({
      choices: [{ content: [{ type: 'opaque', format: 'responses', value: search }, text.content[0]] }],
    })
  })

  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content-filter'],
    ['max_messages', 'length'],
    [undefined, 'length'],
    ['steered', 'pause'],
  ])('that was cut by %s has the stop reason %s', (reason, stopReason) => {
    const response = {
      id: 'r',
      model: 'm',
      status: 'incomplete',
      incomplete_details: { reason },
      output: [done],
    }
    expect(foldReply(read({ type: 'response.incomplete', response }))).toMatchObject({
      choices: [{ stopReason }],
    })
  })

  it.each<[string, readonly (object | string)[], string]>([
    [
      'an error',
      [
        created,
        {
          type: 'error',
          sequence_number: 2,
          error: { code: 'insufficient_quota', message: 'Out of credit.' },
        },
      ],
      'upstream_quota',
    ],
    [
      'a response that failed',
      [created, { type: 'response.failed', response: { error: { code: 'server_error', message: 'Oh.' } } }],
      'upstream_error',
    ],
    ['an end before it is complete', [created, added, delta('Hel')], 'upstream_disconnected'],
    ['no event at all', [], 'upstream_empty'],
    ['an answer without any item, and without a status', [created, statusless], 'upstream_empty'],
    ['what is no JSON', [created, 'data: {\n\n'], 'upstream_bad_response'],
    [
      'a call without its id',
      [completed([{ type: 'function_call', name: 'f', arguments: '{}' }])],
      'upstream_bad_response',
    ],
  ])('fails on %s', (_name, frames, code) => {
    expect(read(...frames).at(-1)).toMatchObject({ type: 'failure', failure: { code } })
  })
})
