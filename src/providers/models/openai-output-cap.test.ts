import { expect, it } from 'vitest'
import { openai } from '../vendors/openai.ts'

it.each([
  ['gpt-4o', 16_384],
  ['gpt-4o-mini-2024-07-18', 16_384],
  ['gpt-4o-2024-05-13', 4_096],
  ['gpt-4-turbo', 4_096],
  ['gpt-35-turbo', 4_096],
  ['gpt-4-0613', 8_192],
  ['gpt-4.1-nano', 32_768],
  ['ft:gpt-4.1:acme', 32_768],
  ['gpt-5.4-codex', 128_000],
  ['gpt-5-chat-latest', 16_384],
  ['o1-mini', 65_536],
  ['o4-mini', 100_000],
  ['my-deployment', undefined],
])('the output limit of %s is %s', (model, cap) => {
  expect(openai.dialect(model, 'chat').maxOutputTokens).toBe(cap)
})
