import { expect, it } from 'vitest'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import { nameModel } from './name-model.ts'

const named = (json: string, model = 'gpt-5') => nameModel(BodyBytes.from([Buffer.from(json)]), model).text()

it('adds the model of the path to a body that names none', () => {
  expect(JSON.parse(named('{"input":"hi"}'))).toEqual({ input: 'hi', model: 'gpt-5' })
  expect(JSON.parse(named('{}'))).toEqual({ model: 'gpt-5' })
})

it('puts the model of the path before one that the body names, and leaves all other bytes as they are', () => {
  expect(named('{ "model" : "other", "input":1.0 }')).toBe('{ "model" : "gpt-5", "input":1.0 }')
})

it('gives a body back that names the model already', () => {
  const body = BodyBytes.from([Buffer.from('{"model":"gpt-5"}')])
  expect(nameModel(body, 'gpt-5')).toBe(body)
})

it('writes a name with quotes as JSON', () => {
  expect(JSON.parse(named('{}', 'a"b'))).toEqual({ model: 'a"b' })
})

it.each(['{"model":', '[1]', 'no JSON'])('leaves %s to the reader of its format', (text) => {
  expect(named(text)).toBe(text)
})
