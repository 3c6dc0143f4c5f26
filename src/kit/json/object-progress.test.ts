import { expect, it } from 'vitest'
import { ObjectProgress } from './object-progress.ts'

it.each([
  ['{"a":1}', true],
  [' \n{"a":"}"}\t', true],
  ['{"a":"\\"}"}', true],
  ['{}', true],
  ['{"a":[{}]}', true],
  ['{"a":', false],
  ['{"a":"}', false],
  ['{"a":}', false],
  ['[]', false],
  ['"{}"', false],
  ['{}{}', false],
  ['x{}', false],
  ['', false],
])('%j is a complete object, in one piece or many: %s', (text, isWhole) => {
  const [all, each] = [new ObjectProgress(), new ObjectProgress()]
  all.push(text)
  for (const character of text) each.push(character)
  expect([all.isWhole, each.isWhole]).toEqual([isWhole, isWhole])
})
