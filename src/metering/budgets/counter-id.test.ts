import fc from 'fast-check'
import { expect, it } from 'vitest'
import { tagValueSchema } from '../../access/limits/tags-schema.ts'
import { brand } from '../../kit/brand.ts'
import type { BudgetId } from '../budget.ts'
import { readCounterId, writeCounterId } from './counter-id.ts'

const budgetId = fc
  .constantFrom('key/key_1/day', 'tag:team=a%2Fb=c/all/rolling 5h', 'end-user/key_1/x=y/total')
  .map((id) => brand<BudgetId>(id))
const tagValue = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => tagValueSchema.safeParse(text).success),
  fc.constantFrom('a/b', '%2F', '100%', '%252F', 'a=b', '/', '='),
)

it('the id of a counter names its budget and its value', () => {
  const subject = fc.record({ budgetId, tagValue: fc.option(tagValue, { nil: undefined }) })
  fc.assert(
    fc.property(subject, (each) => {
      expect(readCounterId(writeCounterId(each))).toEqual(each)
    }),
    { numRuns: 300 },
  )
})
