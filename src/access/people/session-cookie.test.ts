import { expect, test } from 'vitest'
import { clearSessionCookie, readSessionCookie, writeSessionCookie } from './session-cookie.ts'

test('over TLS the cookie is bound to the host, and over plain HTTP scripts cannot read it', () => {
  expect(writeSessionCookie('s', true)).toBe(
    '__Host-headgate=s; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=2592000',
  )
  expect(writeSessionCookie('s', false)).toBe(
    'headgate_session=s; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000',
  )
  expect(clearSessionCookie(false)).toBe('headgate_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0')
})

test.each([
  ['headgate_session=s', 's', undefined],
  ['a=1; __Host-headgate=t;headgate_session=s', 's', 't'],
  ['headgate_session=s; headgate_session=t', undefined, undefined],
  ['xheadgate_session=s', undefined, undefined],
  ['headgate_session=', undefined, undefined],
  [undefined, undefined, undefined],
])('the cookie header %j gives session %j over plain HTTP and %j over TLS', (header, plain, secure) => {
  expect(readSessionCookie(header, false)).toBe(plain)
  expect(readSessionCookie(header, true)).toBe(secure)
})
