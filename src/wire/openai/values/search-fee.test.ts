import { expect, test } from 'vitest'
import { readUsage } from './read-usage.ts'

const usage = { prompt_tokens: 8, completion_tokens: 5, total_tokens: 13 }

test.each(['low', 'medium', 'high'])('a search is billed by its context size: %s', (size) => {
  expect(readUsage({ ...usage, search_context_size: size })?.toolCalls).toEqual({ [`web_search_${size}`]: 1 })
})

test.each([undefined, null, 'huge', 3])('the size %s adds no fee', (size) => {
  expect(readUsage({ ...usage, search_context_size: size })?.toolCalls).toEqual({})
})
