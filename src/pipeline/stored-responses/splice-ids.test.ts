import { expect, it } from 'vitest'
import { changeIds, type IdChange, idChangesFor, spliceIds } from './splice-ids.ts'

const form = { id: 'resp_ours', previousResponseId: 'resp_before' }

function splice(text: string, changes?: readonly IdChange[]): string {
  const value = JSON.parse(text)
  const wanted = changes ?? idChangesFor(value, form)
  return spliceIds(Buffer.from(text), wanted, () =>
    Buffer.from(JSON.stringify(changeIds(value, wanted))),
  ).toString()
}

it.each([
  ['{"id":"resp_a","x":1e2}', '{"id":"resp_ours","x":1e2}'],
  ['{ "id" :\n "resp_a" }', '{ "id" :\n "resp_ours" }'],
  [
    '{"instructions":"say \\"id\\":\\"resp_a\\"","id":"resp_a"}',
    '{"instructions":"say \\"id\\":\\"resp_a\\"","id":"resp_ours"}',
  ],
  ['{"user":"resp_a","id":"resp_a"}', '{"user":"resp_a","id":"resp_ours"}'],
  [
    '{"previous_response_id":"resp_p","id":"resp_a"}',
    '{"previous_response_id":"resp_before","id":"resp_ours"}',
  ],
  ['{"previous_response_id":null,"id":"resp_a"}', '{"previous_response_id":null,"id":"resp_ours"}'],
  ['{"id":"resp\\u005fa","x":1}', '{"id":"resp_ours","x":1}'],
  ['{"x":1}', '{"x":1}'],
])('replaces the ids of %s, which becomes %s', (text, expected) => {
  expect(splice(text)).toBe(expected)
})
