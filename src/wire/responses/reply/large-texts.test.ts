import { expect, it } from 'vitest'
import type { BlockStart, ReplyEvent } from '../../../canonical/reply-event.ts'
import { type JsonObject, type JsonValue, objectsIn } from '../../../kit/json/json.ts'
import { isRawJson } from '../../../kit/json/raw-json.ts'
import { createStreamWriter } from './stream-writer.ts'

const large = 'grüße "\n\u2028😀'.repeat(10_000)
const small = large.slice(0, 20)

const blocks: readonly { readonly start: BlockStart; readonly delta: 'text-delta' | 'tool-input-delta' }[] = [
  { start: { type: 'text' }, delta: 'text-delta' },
  { start: { type: 'refusal' }, delta: 'text-delta' },
  { start: { type: 'thinking' }, delta: 'text-delta' },
  { start: { type: 'tool-call', id: 'c1', name: 'f', kind: 'function' }, delta: 'tool-input-delta' },
  { start: { type: 'tool-call', id: 'c2', name: 'g', kind: 'custom' }, delta: 'tool-input-delta' },
]

function write(text: string) {
  const writer = createStreamWriter({ streamUsage: true, requestId: 'req_1' })
  const events = blocks.flatMap(({ start, delta }, block): ReplyEvent[] => [
    { type: 'block-start', choice: 0, block, start },
    { type: delta, choice: 0, block, text },
    { type: 'block-end', choice: 0, block },
  ])
  const all: ReplyEvent[] = [
    { type: 'reply-start', id: 'r', model: 'm', createdAtSeconds: 1 },
    ...events,
    { type: 'choice-end', choice: 0, stopReason: 'end' },
    { type: 'reply-end' },
  ]
  return { stream: all.map((event) => writer.push(event)).join(''), response: writer.response }
}

it('a large text is written in every event like a small one', () => {
  const parts = write(small).stream.split(JSON.stringify(small).slice(1, -1))
  expect(parts.length).toBe(24)
  expect(write(large).stream).toBe(parts.join(JSON.stringify(large).slice(1, -1)))
})

it('a large text is escaped once for all events of its end', () => {
  const { response = {} } = write(large)
  const output = objectsIn(response['output'])
  expect(output.map(wordsOf).map((words) => words !== undefined && isRawJson(words))).toEqual(
    blocks.map(() => true),
  )
})

function wordsOf(item: JsonObject): JsonValue | undefined {
  const parts = item['content'] ?? item['summary']
  const [part = item] = objectsIn(parts)
  return part['text'] ?? part['refusal'] ?? part['arguments'] ?? part['input']
}
