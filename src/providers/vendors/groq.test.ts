import { expect, test } from 'vitest'
import type { ChatRequest } from '../../canonical/request.ts'
import { createStreamReader } from '../../wire/chat/reply/stream-reader.ts'
import { writeRequest } from '../../wire/chat/request/write-request.ts'
import { groq } from './groq.ts'

const request: ChatRequest = {
  model: 'fast',
  turns: [
    { role: 'user', name: 'Ada', content: [{ type: 'text', text: 'Hi' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'A greeting.' },
        { type: 'text', text: 'Hello.' },
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'Again.' }] },
  ],
  stream: true,
  maxOutputTokens: 50,
  reasoning: { effort: 'max' },
  logprobs: true,
}

const write = (model: string) => writeRequest(request, { model, dialect: groq.dialect(model) })

test('a request has only supported fields, and the others are reported as losses', () => {
  const { value, losses } = write('openai/gpt-oss-120b')
  expect(value).toEqual({
    model: 'openai/gpt-oss-120b',
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', reasoning: 'A greeting.', content: 'Hello.' },
      { role: 'user', content: 'Again.' },
    ],
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 50,
    reasoning_effort: 'high',
  })
  expect(losses.map(({ feature, kind }) => `${feature} ${kind}`)).toEqual([
    'participant-name dropped',
    'reasoning-effort approximated',
    'logprobs dropped',
  ])
})

test('a model that does not reason gets no field of reasoning, in earlier turns neither', () => {
  const { value } = write('llama-3.3-70b-versatile')
  expect(JSON.stringify(value)).not.toContain('reasoning')
})

test('usage is read from the field x_groq', () => {
  const reader = createStreamReader()
  const chunks = [
    '{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","reasoning":"Hm.","channel":"analysis"}}]}',
    '{"id":"c","choices":[{"index":0,"delta":{"content":"Hi"}}]}',
    '{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"req","usage":{"queue_time":0.01,"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}}',
    '[DONE]',
  ]
  const events = chunks.flatMap((data) => [
    ...reader.push({ data, event: undefined, bytes: Buffer.from(`data: ${data}\n\n`) }),
  ])
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'usage',
      usage: expect.objectContaining({ freshInputTokens: 9, outputTokens: 3 }),
    }),
  )
  expect(events.filter((event) => event.type === 'text-delta')).toMatchObject([
    { text: 'Hm.' },
    { text: 'Hi' },
  ])
})
