import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../telemetry/redact.ts'
import { passAnswerHeaders } from './pass-answer-headers.ts'

const redactor = createRedactor(['sk-upstream-0123456789'])
const allowed = ['x-should-retry', 'limit-*']

describe('the headers of an upstream', () => {
  it('go on where their names are allowed, alone or by their beginning', () => {
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

  it('stay behind where nothing is allowed', () => {
    expect(passAnswerHeaders({ 'limit-a': '1' }, undefined, redactor)).toEqual({})
  })

  it.each([
    ['several lines', ['1', '2']],
    ['bytes that are no text', 'caf\u00e9'],
    ['more than 1 KB', 'x'.repeat(1_025)],
  ])('stay behind where they hold %s', (_what, value) => {
    expect(passAnswerHeaders({ 'limit-a': value }, allowed, redactor)).toEqual({})
  })

  it('lose our own secrets on the way', () => {
    const passed = passAnswerHeaders({ 'limit-a': 'of sk-upstream-0123456789' }, allowed, redactor)
    expect(passed['limit-a']).not.toContain('sk-upstream')
  })
})
