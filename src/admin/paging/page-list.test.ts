import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GatewayError } from '../../canonical/failure.ts'
import { readListCursor, readSort, writeNextAfter } from './list-cursor.ts'
import { type ListOrder, pageList } from './page-list.ts'

interface Item {
  readonly name: string
  readonly rank: number
}

const items = fc.uniqueArray(fc.record({ name: fc.string(), rank: fc.integer({ min: 0, max: 3 }) }), {
  selector: ({ name }) => name,
})

/** All pages one after the other, each found by the cursor that the one before answered with. */
function readAll(list: readonly Item[], order: Omit<ListOrder<Item>, 'after'>): readonly Item[] {
  const read: Item[] = []
  for (let after: ListOrder<Item>['after']; ; ) {
    const { items: page, next } = pageList(list, { ...order, after })
    read.push(...page)
    expect(page.length).toBeLessThanOrEqual(order.limit)
    if (next === undefined) return read
    after = readListCursor(writeNextAfter(next) ?? '', 'number')
  }
}

test('consecutive pages make up the whole list in order, with each item once', () => {
  fc.assert(
    fc.property(items, fc.boolean(), fc.integer({ min: 1, max: 4 }), (list, descending, limit) => {
      const order = {
        sortValueOf: ({ rank }: Item) => rank,
        idOf: ({ name }: Item) => name,
        descending,
        limit,
      }
      const read = readAll(list, order)
      expect(new Set(read)).toEqual(new Set(list))
      const ranks = read.map(({ rank }) => rank)
      expect(ranks).toEqual(ranks.toSorted((left, right) => (descending ? right - left : left - right)))
    }),
  )
})

test.each(['no cursor', '', Buffer.from('["a"]').toString('base64url')])(
  'an invalid cursor is refused: %s',
  (text) => {
    expect(() => readListCursor(text, 'string')).toThrow(GatewayError)
  },
)

test('a cursor of a list that is sorted by another value type is refused', () => {
  const text = writeNextAfter({ value: 'a', id: 'b' }) ?? ''
  expect(readListCursor(text, 'string')).toEqual({ value: 'a', id: 'b' })
  expect(() => readListCursor(text, 'number')).toThrow(GatewayError)
})

test.each([
  [undefined, { by: 'name', descending: false }],
  ['-created', { by: 'created', descending: true }],
  ['created', { by: 'created', descending: false }],
])('the sort %s is parsed', (text, sort) => {
  expect(readSort(text, ['name', 'created'])).toEqual(sort)
})
