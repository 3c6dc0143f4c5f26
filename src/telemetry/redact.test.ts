import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './redact.ts'

const secret = 'sk-proj-a/b+c=0123456789'

describe('redaction', () => {
  it.each([
    ['as it is', secret],
    ['in a URL', encodeURIComponent(secret)],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64url', Buffer.from(secret).toString('base64url')],
    ['in hexadecimal', Buffer.from(secret).toString('hex')],
  ])('removes a secret %s', (_form, shown) => {
    const { redact } = createRedactor([secret])
    expect(redact(`Incorrect API key provided: ${shown}.`)).toBe('Incorrect API key provided: [redacted].')
  })

  it.each([
    ['in capital hexadecimal', Buffer.from(secret).toString('hex').toUpperCase()],
    ['in a URL in small letters', encodeURIComponent(secret).toLowerCase().replace('sk-proj', 'sk-proj')],
    ['in JSON with escaped slashes', secret.replaceAll('/', '\\/')],
  ])('removes a secret %s', (_form, shown) => {
    expect(createRedactor([secret]).redact(`x ${shown} y`)).toBe('x [redacted] y')
  })

  it.each(['', 'B', 'Be', 'Bearer ', 'user:', 'Basic of somebody: '])(
    'removes a secret from base64 that encodes more than the secret: %j',
    (before) => {
      const { redact } = createRedactor([secret])
      for (const after of ['', ':', ' x', 'yz ']) {
        for (const encoding of ['base64', 'base64url'] as const) {
          const shown = redact(Buffer.from(before + secret + after).toString(encoding))
          expect(shown).toContain('[redacted]')
          expect(Buffer.from(shown.replace('[redacted]', ''), encoding).toString()).not.toContain(
            secret.slice(0, 8),
          )
        }
      }
    },
  )

  it('removes the longer of two secrets if one is a prefix of the other', () => {
    const { redact } = createRedactor(['abcdefgh', 'abcdefgh-ijkl'])
    expect(redact('abcdefgh-ijkl and abcdefgh')).toBe('[redacted] and [redacted]')
  })

  it('removes two overlapping secrets completely', () => {
    const { redact } = createRedactor(['abcdefgh-ijkl', 'ijkl-mnopqrstu'])
    expect(redact('x abcdefgh-ijkl-mnopqrstu y')).toBe('x [redacted] y')
  })

  it.each([
    ['sk-proj-a/b+', ''],
    [secret.slice(0, -1), ''],
    [secret.slice(0, -1), '…'],
    [Buffer.from(secret).toString('base64').slice(0, 20), ''],
  ])('removes the beginning of a secret at which a text was cut: %j', (beginning, mark) => {
    const other = 'sk-proj-another-of-the-same-vendor'
    const { redact } = createRedactor([other, secret])
    expect(redact(`Incorrect API key provided: ${beginning}${mark}`)).toBe(
      `Incorrect API key provided: [redacted]${mark}`,
    )
    expect(redact(`${beginning} is the beginning`)).toBe(`${beginning} is the beginning`)
  })

  it('removes a secret that is added later', () => {
    const redactor = createRedactor([secret])
    redactor.redact('nothing')
    redactor.add('another-secret')
    expect(redactor.redact(`${secret}another-secret`)).toBe('[redacted][redacted]')
  })

  it('removes every secret from text of any characters', () => {
    const secrets = fc.uniqueArray(fc.string({ minLength: 8, maxLength: 20, unit: 'binary' }), {
      maxLength: 20,
    })
    const parts = fc.array(fc.oneof(fc.nat(19), fc.string({ maxLength: 9 })), { maxLength: 12 })
    fc.assert(
      fc.property(secrets, parts, (all, text) => {
        const written = text.map((part) => (typeof part === 'number' ? (all[part] ?? '') : part)).join('')
        const shown = createRedactor(all).redact(written)
        for (const one of all)
          expect(shown.split('[redacted]').some((part) => part.includes(one))).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  it('takes about as long for a thousand secrets as for one', () => {
    const many = createRedactor(Array.from({ length: 1_000 }, (_, index) => `sk-test-${index}-0123456789`))
    const text = 'an answer without any of them, and not short either; '.repeat(20_000)
    // A search for each form of each secret takes some 14 s.
    const startedAtMs = performance.now()
    expect(many.redact(text)).toBe(text)
    expect(performance.now() - startedAtMs).toBeLessThan(2_000)
  })

  it('leaves text without secrets unchanged', () => {
    expect(createRedactor([secret]).redact('nothing here')).toBe('nothing here')
  })
})

it('temporary secrets are removed like others, and only the latest are kept', () => {
  const redactor = createRedactor(['first-secret'])
  for (let number = 0; number < 300; number += 1) redactor.addPassing(`passing-secret-${number}-end`)
  expect(redactor.redact('passing-secret-299-end and first-secret')).toBe('[redacted] and [redacted]')
  expect(redactor.redact('passing-secret-0-end')).toBe('passing-secret-0-end')
})
