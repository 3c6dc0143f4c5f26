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
  ])('takes a secret out %s', (_form, shown) => {
    const { redact } = createRedactor([secret])
    expect(redact(`Incorrect API key provided: ${shown}.`)).toBe('Incorrect API key provided: [redacted].')
  })

  it('takes out the longer of two secrets of which one begins the other', () => {
    const { redact } = createRedactor(['abcdefgh', 'abcdefgh-ijkl'])
    expect(redact('abcdefgh-ijkl and abcdefgh')).toBe('[redacted] and [redacted]')
  })

  it('leaves text without secrets as it is', () => {
    expect(createRedactor([secret]).redact('nothing here')).toBe('nothing here')
  })
})
