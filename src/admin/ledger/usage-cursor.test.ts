import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../canonical/failure.ts'
import { readUsageCursor, writeUsageCursor } from './usage-cursor.ts'

describe('the cursor of a usage report', () => {
  it('decodes to the group that it was written for', () => {
    const names = fc.array(fc.option(fc.string()), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(names, fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (groupNames, cost) => {
        const cursor = writeUsageCursor({ names: groupNames, cost })
        expect(readUsageCursor(cursor, groupNames.length)).toEqual({ names: groupNames, cost })
      }),
    )
  })

  it('is valid only for reports with the same number of dimensions', () => {
    const cursor = writeUsageCursor({ names: ['a', 'b'], cost: 1n })
    expect(() => readUsageCursor(cursor, 1)).toThrow(GatewayError)
  })

  it.each([
    'no cursor',
    '',
    encode([]),
    encode({ names: ['a'] }),
    encode({ names: [1], cost: '1' }),
    encode({ names: ['a'], cost: '1.5' }),
    encode({ names: ['a'], cost: '9'.repeat(41) }),
  ])('is refused if it is invalid: %s', (text) => {
    expect(() => readUsageCursor(text, 1)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ param: 'after' }) }),
    )
  })
})

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
