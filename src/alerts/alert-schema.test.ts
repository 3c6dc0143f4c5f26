import { expect, it } from 'vitest'
import { alertSchema } from './alert-schema.ts'

it('an address is enough; the rest has defaults', () => {
  expect(alertSchema.parse({ webhook: 'https://hooks.example.com/x?token=1' })).toEqual({
    webhook: 'https://hooks.example.com/x?token=1',
    headers: {},
    secret: undefined,
    repeatMs: 3_600_000,
    allowPrivate: false,
  })
})

it('names of headers are kept in lower case, durations as milliseconds', () => {
  const policy = alertSchema.parse({ webhook: 'https://h.example', headers: { 'X-Key': 'v' }, repeat: '5m' })
  expect(policy).toMatchObject({ headers: { 'x-key': 'v' }, repeatMs: 300_000 })
})

it.each([
  ['no address', {}],
  ['an address of another kind', { webhook: 'ftp://h.example' }],
  ['a password in the address', { webhook: 'https://user:word@h.example' }],
  ['a fragment', { webhook: 'https://h.example/#x' }],
  ['a header of the connection', { webhook: 'https://h.example', headers: { 'Content-Length': '1' } }],
  ['a header on two lines', { webhook: 'https://h.example', headers: { a: 'b\r\nc: d' } }],
  ['a header of the signature', { webhook: 'https://h.example', headers: { 'Webhook-Id': '1' } }],
  ['a secret that is no base64', { webhook: 'https://h.example', secret: 'whsec_not base64' }],
  ['a secret that is too short', { webhook: 'https://h.example', secret: 'whsec_c2hvcnQ=' }],
  ['too short a repeat', { webhook: 'https://h.example', repeat: '1s' }],
  ['an unknown name', { webhook: 'https://h.example', retries: 3 }],
])('%s is refused', (_what, input) => {
  expect(alertSchema.safeParse(input).success).toBe(false)
})
