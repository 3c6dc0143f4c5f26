import { expect, it } from 'vitest'
import type { JsonObject } from './json.ts'
import { rawJson } from './raw-json.ts'
import { stringifyInSteps } from './stringify-in-steps.ts'

function write(object: JsonObject) {
  const steps = stringifyInSteps(object)
  let pauses = 0
  for (let next = steps.next(); ; next = steps.next(), pauses += 1)
    if (next.done === true) return { text: next.value.toString(), pauses }
}

it.each<[string, JsonObject]>([
  ['nothing', {}],
  ['nothing but absent members', { a: undefined }],
  ['empty lists', { a: [], b: {}, c: [[]] }],
  [
    'values of each kind',
    { a: 1, 'b"': 'ü\ud800\u2028', c: [null, true, 1e21, { d: [1, 2] }], e: undefined, f: null },
  ],
  ['numbers that no double holds', { a: [rawJson('12345678901234567890')], b: rawJson('1e-400') }],
])('writes the same as JSON.stringify: %s', (_name, value) => {
  expect(write(value).text).toBe(JSON.stringify(value))
})

it('pauses between the elements of a long list', () => {
  const data = Array.from({ length: 40 }, () => ({ text: 'grüße'.repeat(20_000) }))
  const { text, pauses } = write({ data, model: 'm' })
  expect({ text, pauses: pauses > 3 }).toEqual({ text: JSON.stringify({ data, model: 'm' }), pauses: true })
})
