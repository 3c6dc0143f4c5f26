import { expect, it } from 'vitest'
import { parseLongArrays } from './parse-long-arrays.ts'
import { JsonWalk } from './scan-object.ts'

const bounds = { depth: 16, values: 1_000_000 }
const filler = `"${'é\\u00e9\\"[,'.repeat(60_000)}"`

function parse(text: string) {
  const walk = new JsonWalk(text, bounds)
  for (let until = 0; !walk.isOver; until += 100_000) expect(walk.walk(until)).toBeUndefined()
  const steps = parseLongArrays(text, walk.longArrays)
  let pauses = 0
  for (let next = steps.next(); ; next = steps.next(), pauses += 1)
    if (next.done === true) return { value: next.value, pauses }
}

const list = `[ ${[filler, '{"a":[1,2]}', filler, filler, '[[]]', filler, '1e3', filler].join(' , ')} ]`

it.each([
  ['one long array', `{"x":1,"data":${list},"y":[2]}`],
  ['several', `{"data":${list},"more":${list}}`],
  ['the last of one name', `{"data":${list},"data":[1]}`],
  ['a name that is not set but defined', `{"__proto__":${list}}`],
  ['an array that is not in an object', list],
  ['a deeper one', `{"data":{"more":${list}}}`],
])('returns the same as JSON.parse: %s', (_name, text) => {
  expect(parse(text).value).toEqual(JSON.parse(text))
})

it('pauses between the parts of a long array', () => {
  expect(parse(`{"data":${list}}`).pauses).toBeGreaterThan(2)
})

it.each([
  ['a comma at the end', `{"data":[${filler},${filler},${filler},]}`],
  ['a comma at the beginning', `{"data":[,${filler},${filler},${filler}]}`],
  ['two commas', `{"data":[${filler},${filler},,${filler}]}`],
  ['the wrong bracket', `{"data":[${filler},${filler},${filler}}}`],
  ['a bracket too many', `{"data":[${filler},${filler},${filler}]]}`],
  ['no end', `{"data":[${filler},${filler},${filler}`],
  ['a wrong bracket inside', `{"data":[${filler},${filler},{"a":1],${filler}]}`],
  ['a name that is an array', `{[${filler},${filler},${filler}]:1}`],
  ['something behind it', `{"data":[${filler},${filler},${filler}]1}`],
  ['something before it', `{"data":1[${filler},${filler},${filler}]}`],
])('refuses the same text as JSON.parse: %s', (_name, text) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(() => parse(text)).toThrow(SyntaxError)
})
