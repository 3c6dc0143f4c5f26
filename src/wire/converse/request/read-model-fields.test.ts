import { expect, it } from 'vitest'
import type { JsonObject } from '../../../kit/json/json.ts'
import { readModelFields } from './read-model-fields.ts'

const read = (fields: JsonObject) => readModelFields({ additionalModelRequestFields: fields })

it('reads the thinking of Claude and the reasoning of Nova', () => {
  expect(read({ thinking: { type: 'enabled', budget_tokens: 2_048, display: 'omitted' } })).toEqual({
    reasoning: { mode: 'on', budgetTokens: 2_048, display: 'omitted' },
  })
  expect(read({ thinking: { type: 'disabled' } })).toEqual({ reasoning: { mode: 'off' } })
  expect(read({ reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } })).toEqual({
    reasoning: { effort: 'low' },
  })
})

// A field that stays unread goes to channels of this format, and is a declared loss on all others.
it.each([
  [{ thinking: { type: 'interleaved', depth: 3 } }],
  [{ thinking: 'deep' }],
  [{ reasoning_config: { type: 'interleaved' } }],
  [{ reasoningConfig: 'high' }],
  [{ reasoningConfig: { type: 'enabled', maxReasoningEffort: 'extreme' } }],
])('leaves %j unread, since it has no equivalent', (fields) => {
  expect(read(fields)).toEqual({ unread: fields })
})

it('leaves the members of thinking unread that it does not know', () => {
  const { reasoning, unread } = read({ thinking: { type: 'adaptive', display: 'full', depth: 3 } })
  expect(reasoning).toEqual({ mode: 'adaptive' })
  expect(unread).toEqual({ thinking: { display: 'full', depth: 3 } })
})
