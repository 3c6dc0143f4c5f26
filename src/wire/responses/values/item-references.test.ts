import { expect, it } from 'vitest'
import { listReferences, mayHoldReference } from './item-references.ts'

const message = { role: 'user', content: 'Hi' }

it.each([
  [{ type: 'item_reference', id: 'msg_1' }],
  [{ id: 'msg_1' }],
  [{ id: 'msg_1', type: null }],
  [{ type: null, id: 'msg_1' }],
  [{ id: 'msg_1', type: 'message' }],
])('finds the reference %j', (item) => {
  expect(listReferences([message, item])).toEqual([{ index: 1, id: 'msg_1' }])
  expect(mayHoldReference(Buffer.from(JSON.stringify([message, item])))).toBe(true)
  expect(mayHoldReference(Buffer.from(JSON.stringify([item, message], null, 2)))).toBe(true)
})

it('finds a reference in escaped letters', () => {
  expect(mayHoldReference(Buffer.from('[{"type":"item\\u005freference","id":"msg_1"}]'))).toBe(true)
  expect(mayHoldReference(Buffer.from('[{"\\u0069d":"msg_1"}]'))).toBe(true)
})

it('finds no reference in other items', () => {
  const items = [message, { id: 'msg_1', type: 'message', role: 'assistant', content: [] }]
  expect(listReferences(items)).toEqual([])
  expect(mayHoldReference(Buffer.from(JSON.stringify(items)))).toBe(false)
  expect(listReferences('Hi')).toEqual([])
})
