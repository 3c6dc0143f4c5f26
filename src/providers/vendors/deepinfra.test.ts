import { expect, test } from 'vitest'
import type { ChatRequest } from '../../canonical/request.ts'
import { writeRequest } from '../../wire/chat/request/write-request.ts'
import { deepinfra } from './deepinfra.ts'

const MODEL = 'deepseek-ai/DeepSeek-R1'

const request: ChatRequest = {
  model: 'thinker',
  turns: [{ role: 'user', content: [{ type: 'text', text: 'Prove it.' }] }],
  stream: true,
  maxOutputTokens: 500,
  stopSequences: ['END'],
  seed: 7,
}

const write = (more: Partial<ChatRequest>) =>
  writeRequest({ ...request, ...more }, { model: MODEL, dialect: deepinfra.dialect(MODEL) })

test('a request has only documented parameters, and the others are reported as losses', () => {
  const { value, losses } = write({ reasoning: { effort: 'max' } })
  expect(value).toEqual({
    model: MODEL,
    messages: [{ role: 'user', content: 'Prove it.' }],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 500,
    stop: ['END'],
    reasoning_effort: 'high',
  })
  expect(losses.map(({ feature, kind }) => `${feature} ${kind}`)).toEqual([
    'reasoning-effort approximated',
    'seed dropped',
  ])
})

test('thinking is turned off with an effort of none', () => {
  expect(write({ reasoning: { mode: 'off' } }).value).toMatchObject({ reasoning_effort: 'none' })
})
