import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

const known = ['base_url', 'api_key', 'api_keys', 'priority', 'models', 'openai', 'anthropic']

test.each([
  ['baseurl', 'base_url'],
  ['baseUrl', 'base_url'],
  ['api-key', 'api_key'],
  ['pirority', 'priority'],
  ['model', 'models'],
  ['opnai', 'openai'],
  ['antropic', 'anthropic'],
])('%s is taken as a typo of %s', (typed, meant) => {
  expect(nearestName(typed, known)).toBe(meant)
})

test.each(['zebra', 'x', ''])('"%s" is not taken as a typo', (typed) => {
  expect(nearestName(typed, known)).toBeUndefined()
})
