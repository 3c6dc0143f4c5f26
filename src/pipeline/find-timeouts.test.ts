import { expect, it } from 'vitest'
import { BodyBytes } from '../kit/json/body-bytes.ts'
import { scanBody } from '../wire/verbatim/scan-body.ts'
import { asksForReasoning } from './find-timeouts.ts'

function asked(fields: object): string {
  const body = JSON.stringify({ model: 'm', ...fields })
  return asksForReasoning(scanBody(BodyBytes.from([Buffer.from(body)]), new Set()))
}

it.each<[string, object]>([
  ['an effort of the chat format', { reasoning_effort: 'high' }],
  ['an effort of the responses format', { reasoning: { summary: 'auto', effort: 'low' } }],
  ['a budget of the messages format', { thinking: { budget_tokens: 4096, type: 'enabled' } }],
  ['adaptive thinking', { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }],
  ['a budget of Gemini', { generationConfig: { topK: 3, thinkingConfig: { thinkingBudget: -1 } } }],
  ['a switch of Qwen', { enable_thinking: true }],
  ['a switch of a chat template', { chat_template_kwargs: { enable_thinking: true } }],
  ['a tool that the provider runs', { tools: [{ type: 'function' }, { type: 'web_search_20250305' }] }],
])('%s asks for reasoning', (_what, fields) => {
  expect(asked(fields)).toBe('on')
})

it.each<[string, object]>([
  ['no effort', { reasoning_effort: 'none' }],
  ['an effort of none', { reasoning: { effort: 'none' } }],
  ['thinking that is disabled', { thinking: { type: 'disabled' } }],
  ['a budget of nothing', { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
  ['a switch that is off', { enable_thinking: false }],
])('%s asks for no reasoning', (_what, fields) => {
  expect(asked(fields)).toBe('off')
})

it('the text of a request’s messages and tools does not ask for reasoning', () => {
  const messages = [{ role: 'user', content: '"reasoning_effort":"high"' }]
  expect(asked({ messages, reasoning: null, tools: [{ type: 'function' }] })).toBe('unset')
})
