import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spliceCost, spliceFrameCost } from './splice-cost.ts'

const cost = () => '0.000000001'
const inJson = (text: string, path: readonly [string, ...string[]] = ['usage']) =>
  spliceCost(Buffer.from(text), path, cost)?.toString()
const inFrame = (text: string) => spliceFrameCost(Buffer.from(text), ['usage'], cost)?.toString()

describe('the cost in the usage of an answer', () => {
  it.each([
    ['{"id":"a","usage":{"total_tokens":3}}', '{"id":"a","usage":{"cost":0.000000001,"total_tokens":3}}'],
    ['{ "usage" : { } }', '{ "usage" : {"cost":0.000000001 } }'],
    ['{"usage":{"cost":7,"a":1}}', '{"usage":{"cost":0.000000001,"a":1}}'],
    [
      '{"choices":[{"usage":{}}],"usage":{"a":{"cost":1}}}',
      '{"choices":[{"usage":{}}],"usage":{"cost":0.000000001,"a":{"cost":1}}}',
    ],
  ])('is written into %s', (given, expected) => {
    expect(inJson(given)).toBe(expected)
  })

  it('is written at the format’s depth of usage', () => {
    expect(inJson('{"type":"x","response":{"usage":{"a":1}},"usage":{}}', ['response', 'usage'])).toBe(
      '{"type":"x","response":{"usage":{"cost":0.000000001,"a":1}},"usage":{}}',
    )
  })

  it.each([
    '{"id":"a"}',
    '{"usage":null}',
    '{"Usage":{}}',
    '{"text":"\\"usage\\":{}"}',
    '{"usage":{"a":1,"a":2}}',
    '{"usage":{}',
    '[{"usage":{}}]',
  ])('has no position in %s', (given) => {
    expect(inJson(given)).toBeUndefined()
  })

  it('is not computed without usage, and an unknown cost changes nothing', () => {
    const never = () => expect.unreachable()
    expect(spliceCost(Buffer.from('{"usage":null}'), ['usage'], never)).toBeUndefined()
    expect(spliceCost(Buffer.from('{"usage":{}}'), ['usage'], () => undefined)).toBeUndefined()
  })

  it('leaves every other byte, whatever the answer', () => {
    const members = fc.dictionary(
      fc.string().filter((name) => !/^(usage|cost)$/i.test(name)),
      fc.jsonValue(),
      {
        maxKeys: 5,
      },
    )
    fc.assert(
      fc.property(members, members, fc.boolean(), (answer, usage, isLast) => {
        const all = isLast ? { ...answer, usage } : { usage, ...answer }
        const names = [...Object.keys(answer), ...Object.keys(usage)].map((name) => name.toLowerCase())
        fc.pre(
          new Set(Object.keys(answer).map((name) => name.toLowerCase())).size === Object.keys(answer).length,
        )
        fc.pre(
          new Set(Object.keys(usage).map((name) => name.toLowerCase())).size === Object.keys(usage).length,
        )
        fc.pre(!names.includes('__proto__'))
        const given = JSON.stringify(all, undefined, 1)
        const spliced = inJson(given) ?? ''
        expect(JSON.parse(spliced)).toEqual({
          ...JSON.parse(given),
          usage: { ...JSON.parse(given).usage, cost: 1e-9 },
        })
        expect(spliced.replace(/"cost":0\.000000001,?/, '')).toBe(given)
      }),
    )
  })
})

describe('the cost in an event of a stream', () => {
  it.each([
    ['data: {"usage":{"a":1}}\n\n', 'data: {"usage":{"cost":0.000000001,"a":1}}\n\n'],
    ['data:{"usage":{"a":1}}\r\n\r\n', 'data:{"usage":{"cost":0.000000001,"a":1}}\r\n\r\n'],
    [
      'id: 7\nevent: data: x\ndata: {"usage":{"a":"data: y"}}\n\n',
      'id: 7\nevent: data: x\ndata: {"usage":{"cost":0.000000001,"a":"data: y"}}\n\n',
    ],
    ['\ndata: {"usage":{"a":1}}\r\r', '\ndata: {"usage":{"cost":0.000000001,"a":1}}\r\r'],
  ])('is written into %j', (given, expected) => {
    expect(inFrame(given)).toBe(expected)
  })

  it.each([': usage\n\n', 'data: [DONE]\n\n', 'event: usage\n\n', 'data: {"usage":\ndata: {}}\n\n'])(
    'has no position in %j',
    (given) => {
      expect(inFrame(given)).toBeUndefined()
    },
  )
})
