import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../telemetry/redact.ts'
import { writeLocalHeaders, writeLosses } from './answer-headers.ts'
import { passAnswerHeaders } from './pass-answer-headers.ts'

it.each([
  ['é', '%C3%A9'],
  ['😀', '%F0%9F%98%80'],
  ['\ud83d', '%EF%BF%BD'],
  ['a\r\nx: 1', 'a%0D%0Ax: 1'],
])('escapes the caller’s field name %j so that a header can hold it', (field, written) => {
  expect(writeLosses([{ feature: 'foreign-field', kind: 'dropped', field }])).toBe(
    `foreign-field(${written})=dropped`,
  )
})

it('writes headers of printable ASCII alone and never throws, whatever the name of a model or a field', () => {
  const name = fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  })
  fc.assert(
    fc.property(name, name, (publicName, field) => {
      const losses = [{ feature: 'foreign-field', kind: 'dropped', field }] as const
      const headers = writeLocalHeaders({ publicName, losses, attempts: 1 })
      for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]*$/)
    }),
  )
})

const redactor = createRedactor(['sk-upstream-0123456789'])
const allowed = ['x-should-retry', 'limit-*']

describe('the headers of an upstream', () => {
  it('pass if their names are allowed, in full or by prefix', () => {
    const headers = {
      'x-should-retry': 'true',
      'limit-a': '1',
      'limit-': '2',
      limit: '3',
      'set-cookie': ['a=b'],
    }
    expect(passAnswerHeaders(headers, allowed, redactor)).toEqual({
      'x-should-retry': 'true',
      'limit-a': '1',
      'limit-': '2',
    })
  })

  it('are dropped when nothing is allowed', () => {
    expect(passAnswerHeaders({ 'limit-a': '1' }, undefined, redactor)).toEqual({})
  })

  it.each([
    ['several lines', ['1', '2']],
    ['bytes that are no text', 'caf\u00e9'],
    ['more than 1 KB', 'x'.repeat(1_025)],
  ])('are dropped when they hold %s', (_what, value) => {
    expect(passAnswerHeaders({ 'limit-a': value }, allowed, redactor)).toEqual({})
  })

  it('pass without our own secrets', () => {
    const passed = passAnswerHeaders({ 'limit-a': 'of sk-upstream-0123456789' }, allowed, redactor)
    expect(passed['limit-a']).not.toContain('sk-upstream')
  })
})
