import { expect, it } from 'vitest'
import { addCost } from './add-cost.ts'

it('a cost with more digits than a double holds is written exactly', () => {
  const value = { response: { usage: { total_tokens: 3 } } }
  expect(JSON.stringify(addCost(value, ['response', 'usage'], '9007199.254740993'))).toBe(
    '{"response":{"usage":{"total_tokens":3,"cost":9007199.254740993}}}',
  )
})

it('an answer without usage gets no cost', () => {
  expect(addCost({ usage: null }, ['usage'], '1')).toEqual({ usage: null })
})
