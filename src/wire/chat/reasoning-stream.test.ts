import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { BlockStart, ReplyEvent } from '../../canonical/reply-event.ts'
import type { Turn } from '../../canonical/request.ts'
import { type JsonObject, type JsonValue, objectsIn } from '../../kit/json/json.ts'
import { createStreamWriter } from './reply/stream-writer.ts'
import { readRequest } from './request/read-request.ts'

type Start = Extract<BlockStart, { readonly type: 'thinking' | 'redacted-thinking' }>

const thinking: Start = { type: 'thinking' }
const redacted: Start = { type: 'redacted-thinking', data: 'sealed' }
/** Two blocks that are signed, and one without words between them. */
const signedEvents: readonly ReplyEvent[] = [
  ...blockOf(0, thinking, ['Let me ', 'see.'], 's1'),
  ...blockOf(1, redacted),
  ...blockOf(2, thinking, ['Now', ' then.'], 's2'),
]

function blockOf(
  block: number,
  start: Start,
  words: readonly string[] = [],
  signature?: string,
): readonly ReplyEvent[] {
  const at = { choice: 0, block }
  return [
    { type: 'block-start', ...at, start },
    ...words.map((text): ReplyEvent => ({ type: 'text-delta', ...at, text })),
    ...(signature === undefined ? [] : [{ type: 'signature-delta', ...at, signature } as const]),
    { type: 'block-end', ...at },
  ]
}

function write(events: readonly ReplyEvent[]): string {
  const writer = createStreamWriter({ streamUsage: false, requestId: 'r' })
  return [
    { type: 'reply-start', id: 'i', model: 'm' } as const,
    ...events,
    { type: 'choice-end', choice: 0, stopReason: 'end' } as const,
    { type: 'reply-end' } as const,
  ]
    .map((event) => writer.push(event))
    .join('')
}

/** The deltas, as the official client gives them one by one. */
async function deltasOf(text: string): Promise<readonly JsonObject[]> {
  const client = new OpenAI({
    apiKey: 'none',
    baseURL: 'http://localhost/v1',
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  })
  const stream = client.chat.completions.stream({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })
  const deltas: JsonObject[] = []
  for await (const { choices } of stream) deltas.push(JSON.parse(JSON.stringify(choices[0]?.delta ?? {})))
  return deltas
}

function detailsOf(delta: JsonObject): readonly JsonObject[] {
  const details = delta['reasoning_details']
  return objectsIn(details)
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/**
 * Joins lists as the official Python client does: each entry needs an index, and strings that come twice run together.
 */
function foldByIndex(deltas: readonly JsonObject[]): readonly JsonObject[] {
  const entries: Record<string, JsonValue | undefined>[] = []
  for (const detail of deltas.flatMap(detailsOf)) {
    const { index, type, ...fields } = detail
    if (typeof index !== 'number') throw new Error('an entry has no index')
    entries[index] ??= {}
    const entry = entries[index]
    for (const [name, value] of Object.entries(fields)) {
      entry[name] = typeof value === 'string' ? textOf(entry[name]) + value : value
    }
    Object.assign(entry, { index, type })
  }
  return JSON.parse(JSON.stringify(entries))
}

function readBack(fields: JsonObject): Turn | undefined {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: '', ...fields },
  ]
  return readRequest({ model: 'm', messages }).turns[1]
}

const allWords = 'Let me see.Now then.'
const returned = {
  role: 'assistant',
  content: [
    { type: 'thinking', text: 'Let me see.', signature: 's1' },
    { type: 'redacted-thinking', data: 'sealed' },
    { type: 'thinking', text: 'Now then.', signature: 's2' },
  ],
}

describe('a stream of signed reasoning', () => {
  it('shows each word once to a client that reads reasoning_content', async () => {
    const deltas = await deltasOf(write(signedEvents))
    expect(deltas.map((delta) => textOf(delta['reasoning_content'])).join('')).toBe(allWords)
  })

  it('shows each word once to a client that prefers the details of a chunk to its reasoning_content', async () => {
    const deltas = await deltasOf(write(signedEvents))
    const shown = deltas.map((delta) => {
      const details = detailsOf(delta)
      if (details.length === 0) return textOf(delta['reasoning_content'])
      return details.map(({ text }) => textOf(text)).join('')
    })
    expect(shown.join('')).toBe(allWords)
  })

  it('comes back unchanged from a client that folds the details by their index', async () => {
    const details = foldByIndex(await deltasOf(write(signedEvents)))
    expect(readBack({ reasoning_details: details })).toMatchObject(returned)
    expect(readBack({ reasoning_details: details, reasoning_content: allWords })).toMatchObject(returned)
  })

  it('comes back unchanged from a client that only collects the details', async () => {
    const details = (await deltasOf(write(signedEvents))).flatMap(detailsOf)
    expect(readBack({ reasoning_details: details, reasoning_content: allWords })).toMatchObject(returned)
  })

  it('comes back unchanged from a client that joins the texts and has the last details alone', async () => {
    const deltas = await deltasOf(write(blockOf(0, thinking, ['Let me ', 'see.'], 's1')))
    const details = deltas.flatMap(detailsOf).slice(-1)
    expect(readBack({ reasoning_content: 'Let me see.', reasoning_details: details })).toMatchObject({
      content: [{ type: 'thinking', text: 'Let me see.', signature: 's1' }],
    })
  })

  it('names its provider format once, beside the signature', async () => {
    const extras = { format: 'responses', fields: { id: 'rs_1' } } as const
    const deltas = await deltasOf(write(blockOf(0, { ...thinking, extras }, ['a', 'b'], 's')))
    const maker = { format: 'openai-responses-v1', id: 'rs_1' }
    expect(foldByIndex(deltas)).toEqual([
      { type: 'reasoning.text', text: 'ab', signature: 's', index: 0, ...maker },
    ])
  })
})

describe('a stream of reasoning', () => {
  const start: ReplyEvent = { type: 'block-start', choice: 0, block: 0, start: thinking, isUnsigned: true }

  it('has no details when its provider has no signatures', async () => {
    const deltas = await deltasOf(write([start, ...blockOf(0, thinking, ['a', 'b']).slice(1)]))
    expect(deltas.flatMap(detailsOf)).toEqual([])
    expect(deltas.map((delta) => textOf(delta['reasoning_content'])).join('')).toBe('ab')
  })

  it('has the details as a whole when an unexpected signature comes', async () => {
    const deltas = await deltasOf(write([start, ...blockOf(0, thinking, ['a', 'b'], 's').slice(1)]))
    expect(deltas.flatMap(detailsOf)).toEqual([
      { type: 'reasoning.text', text: 'ab', signature: 's', index: 0 },
    ])
  })
})
