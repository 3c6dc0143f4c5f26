import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../telemetry/redact.ts'
import { createCleaner } from './clean-text.ts'

const secret = 'sk-secret-0123456789'
const clean = createCleaner(createRedactor([secret]), [
  String.raw`\b\d{16}\b`,
  'Müller',
  String.raw`pin:\s\d+`,
])

describe('a cleaned body', () => {
  it.each([
    [
      'a number after a newline',
      String.raw`{"a":"card\n4111111111111111."}`,
      String.raw`{"a":"card\n[redacted]."}`,
    ],
    ['a number after a tab', String.raw`"\t4111111111111111"`, String.raw`"\t[redacted]"`],
    ['a letter as its code', String.raw`{"a":"Herr M\u00fcller"}`, '{"a":"Herr [redacted]"}'],
    ['a match over a newline', String.raw`["pin:\n1234","\n"]`, String.raw`["[redacted]","\n"]`],
    ['a secret as codes', `{"a":"\\u0073${secret.slice(1)}"}`, '{"a":"[redacted]"}'],
    ['a name of a member', String.raw`{"M\u00fcller":1}`, '{"[redacted]":1}'],
    ['a number', '{"a":4111111111111111}', '{"a":[redacted]}'],
    ['a text that is cut', String.raw`{"a":"card\n4111111111111111`, String.raw`{"a":"card\n[redacted]"`],
    ['a text that is cut in an escape', String.raw`{"a":"M\u00fcller \u00`, '{"a":"[redacted] "'],
    ['plain text', 'Herr Müller, "4111111111111111"', 'Herr [redacted], "[redacted]"'],
  ])('has no match in %s', (_where, text, expected) => {
    expect(clean(text)).toBe(expected)
  })

  it('has no match in the arguments of a tool, which are JSON in a string', () => {
    const call = {
      arguments: JSON.stringify({
        text: 'card\n4111111111111111',
        more: JSON.stringify('\n4222222222222222'),
      }),
    }
    const text = clean(JSON.stringify(call))
    expect(text).not.toMatch(/\d{16}/)
    expect(JSON.parse(JSON.parse(text).arguments).text).toBe('card\n[redacted]')
  })

  it('is unchanged without a match, however it is written', () => {
    fc.assert(
      fc.property(fc.json(), fc.string({ unit: 'binary' }), (json, text) => {
        const plain = createCleaner(createRedactor([secret]), ['never-in-a-text'])
        for (const each of [json, text, `"${text}`, JSON.stringify(text)]) expect(plain(each)).toBe(each)
      }),
    )
  })

  it('takes time in proportion to its length, whatever it has of quotes', () => {
    const texts = [
      String.raw`\"`.repeat(200_000),
      '"'.repeat(200_001),
      `"${String.raw`\"`.repeat(200_000)}\\`,
    ]
    const startedAtMs = performance.now()
    for (const text of texts) createCleaner(createRedactor([]), [])(text)
    expect(performance.now() - startedAtMs).toBeLessThan(5_000)
  })
})
