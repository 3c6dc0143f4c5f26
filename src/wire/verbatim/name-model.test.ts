import { expect, it } from 'vitest'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import { nameModel } from './name-model.ts'

const named = (json: string, model = 'gpt-5') => nameModel(BodyBytes.from([Buffer.from(json)]), model).text()

it('the path’s model is added to a body without one', () => {
  expect(JSON.parse(named('{"input":"hi"}'))).toEqual({ input: 'hi', model: 'gpt-5' })
  expect(JSON.parse(named('{}'))).toEqual({ model: 'gpt-5' })
})

it('the path’s model replaces another in the body, and all other bytes stay', () => {
  expect(named('{ "model" : "other", "input":1.0 }')).toBe('{ "model" : "gpt-5", "input":1.0 }')
})

it('a body that already names the model is returned unchanged', () => {
  const body = BodyBytes.from([Buffer.from('{"model":"gpt-5"}')])
  expect(nameModel(body, 'gpt-5')).toBe(body)
})

it('a model name with quotes is written as JSON', () => {
  expect(JSON.parse(named('{}', 'a"b'))).toEqual({ model: 'a"b' })
})

it.each(['{"model":', '[1]', 'no JSON'])('%s is left to the reader of its format', (text) => {
  expect(named(text)).toBe(text)
})
