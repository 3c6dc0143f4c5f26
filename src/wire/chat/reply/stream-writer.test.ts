import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { createFailure } from '../../../canonical/failure.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { unfoldReply } from '../../../canonical/unfold-reply.ts'
import { noUsage } from '../../../canonical/usage.ts'
import { createStreamWriter } from './stream-writer.ts'
import { writeReply } from './write-reply.ts'

function write(events: readonly ReplyEvent[], streamUsage = false) {
  const writer = createStreamWriter({ streamUsage, requestId: 'r1' })
  const text = events.map((event) => writer.push(event)).join('')
  return { text, losses: writer.losses }
}

const start: ReplyEvent = { type: 'reply-start', id: 'i', model: 'm' }
const path = { choice: 0, block: 0 }
const next = { choice: 0, block: 1 }
const end: readonly ReplyEvent[] = [
  { type: 'choice-end', choice: 0, stopReason: 'tool-calls' },
  { type: 'usage', usage: { ...noUsage, freshInputTokens: 3, outputTokens: 2 } },
  { type: 'reply-end' },
]
const body: readonly ReplyEvent[] = [
  start,
  { type: 'block-start', ...path, start: { type: 'thinking' } },
  { type: 'text-delta', ...path, text: 'hm' },
  { type: 'signature-delta', ...path, signature: 's' },
  { type: 'block-end', ...path },
  { type: 'block-start', ...next, start: { type: 'tool-call', id: 'c', name: 'f', kind: 'function' } },
  { type: 'tool-input-delta', ...next, text: '{}' },
  { type: 'block-end', ...next },
  ...end,
]

describe('a stream for callers of the chat format', () => {
  it('has the role first, then the deltas, a finish reason and the terminator', () => {
    const head =
      '{"id":"i","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":'
    const tail = ',"logprobs":null,"finish_reason":null}]}'
    const { text, losses } = write(body)
    expect(text.split('\n\n')).toEqual([
      `data: ${head}{"role":"assistant","content":null}${tail}`,
      `data: ${head}{"reasoning_content":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","index":0}]}${tail}`,
      `data: ${head}{"reasoning_details":[{"type":"reasoning.text","signature":"s","index":0}]}${tail}`,
      `data: ${head}{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]}${tail}`,
      `data: ${head}{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}${tail}`,
      `data: ${head}{},"logprobs":null,"finish_reason":"tool_calls"}]}`,
      'data: [DONE]',
      '',
    ])
    expect(losses).toEqual([])
  })

  it.each([
    ['text', [{ type: 'text', text: 'a' }], ''],
    ['nothing', [], ''],
    ['a call', [{ type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{}' }], null],
  ] as const)('begins an answer of %s with the same content as OpenAI', (_name, content, said) => {
    const [first = ''] = write(
      unfoldReply({ id: 'i', model: 'm', choices: [{ content, stopReason: 'end' }] }),
    ).text.split('\n\n')
    expect(JSON.parse(first.slice('data: '.length))).toMatchObject({
      choices: [{ delta: { role: 'assistant', content: said } }],
    })
  })

  it('has a chunk of usage without choices for callers that requested it, and none otherwise', () => {
    const frames = write(body, true).text.split('\n\n')
    expect(JSON.parse(frames.at(-3)?.slice(6) ?? '')).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    })
    expect(write(body).text).not.toContain('usage')
  })

  it('ends in an error and without the terminator when the answer failed', () => {
    const failed = write([start, { type: 'failure', failure: createFailure('upstream_disconnected') }])
    expect(failed.text).toMatch(
      /^data: \{"error":\{"message":".*","type":"api_error","param":null,"code":"upstream_disconnected"\}\}\n\n$/,
    )
  })

  it('has the id of the request when the upstream gave none', () => {
    expect(write([{ ...start, id: '' }, ...body.slice(1)]).text).toContain('"id":"chatcmpl-r1"')
  })

  it('is accepted by the official client, with parallel calls and text among them', async () => {
    const calls: readonly ReplyEvent[] = [
      start,
      { type: 'block-start', ...path, start: { type: 'tool-call', id: 'a', name: 'f', kind: 'function' } },
      { type: 'block-start', ...next, start: { type: 'tool-call', id: 'b', name: 'g', kind: 'function' } },
      { type: 'tool-input-delta', ...next, text: '{"y":' },
      { type: 'tool-input-delta', ...path, text: '{}' },
      { type: 'tool-input-delta', ...next, text: '2}' },
      ...end,
    ]
    const { text } = write(calls, true)
    const client = new OpenAI({
      apiKey: 'none',
      baseURL: 'http://localhost/v1',
      fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
    })
    const whole = await client.chat.completions
      .stream({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })
      .finalChatCompletion()
    expect(whole.choices[0]?.message.content).toBe(null)
    const found = whole.choices[0]?.message.tool_calls
    expect(found?.map((call) => (call.type === 'function' ? call.function.arguments : ''))).toEqual([
      '{}',
      '{"y":2}',
    ])
  })
})

describe('sources of an answer of several texts, for callers of the chat format', () => {
  const [before, cited] = ['Let me check. ', 'Vienna is in Austria.']
  const citation = { url: 'https://a.example/', title: 'A', startIndex: 0, endIndex: 6 }
  const content = [
    { type: 'text', text: before },
    { type: 'text', text: cited, citations: [citation] },
  ] as const
  const reply = { id: 'i', model: 'm', choices: [{ content, stopReason: 'end' }] } as const
  const place = { start_index: before.length, end_index: before.length + 'Vienna'.length }

  it('have their places in the joined content, whole', () => {
    expect(writeReply(reply).value).toMatchObject({
      choices: [{ message: { content: before + cited, annotations: [{ url_citation: place }] } }],
    })
  })

  it('have their places in the joined content, streamed', () => {
    const { text } = write(unfoldReply(reply))
    expect(text).toContain(`"start_index":${place.start_index},"end_index":${place.end_index}`)
  })
})

describe('a whole answer for callers of the chat format', () => {
  it('is one message, and declares joined blocks', () => {
    const { value, losses } = writeReply({
      id: 'i',
      model: 'm',
      createdAtSeconds: 7,
      choices: [
        {
          content: [
            { type: 'text', text: 'a' },
            { type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{}' },
            { type: 'text', text: 'b' },
          ],
          stopReason: 'pause',
        },
      ],
    })
    expect(value).toEqual({
      id: 'i',
      object: 'chat.completion',
      created: 7,
      model: 'm',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'ab',
            refusal: null,
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
    })
    expect(losses).toEqual([
      { feature: 'block-order', kind: 'approximated' },
      { feature: 'stop-reason', kind: 'approximated' },
    ])
  })
})
