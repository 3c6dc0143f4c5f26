import { expect, it } from 'vitest'
import { viewActor, viewAuthor } from './view-actor.ts'

const address = '127.0.0.1'

it.each([
  ['admin token', 'admin token', 'admin_token'],
  ['command line', 'data folder', 'command_line'],
  ['configuration file', '', 'configuration_file'],
  ['first start', '', 'first_start'],
  ['identity provider', 'claims', 'identity_provider'],
  ['signal SIGHUP', '', 'reload_signal'],
])('the author %j of a record is known as data', (author, credential, type) => {
  expect(viewActor({ author, credential, address }).author).toEqual({ type })
})

it('a user with the name of another author is still a user', () => {
  expect(viewActor({ author: 'command line', credential: 'session', address }).author).toEqual({
    type: 'user',
    name: 'command line',
  })
})

it('a service is known by its token', () => {
  const actor = viewActor({ author: 'service ci', credential: 'token "ci"', address })
  expect(actor).toMatchObject({
    author: { type: 'service', name: 'ci' },
    credential: { type: 'token', name: 'ci' },
  })
})

it.each([
  ['session', { type: 'session' }],
  ['password, code', { type: 'password_and_code' }],
  ['password, recovery code', { type: 'password_and_recovery_code' }],
  ['single sign-on', { type: 'single_sign_on' }],
  ['a later one', { type: 'text', text: 'a later one' }],
  ['', null],
])('the credential %j of a record is known as data', (credential, expected) => {
  expect(viewActor({ author: 'ann', credential, address }).credential).toEqual(expected)
})

it('what was done without a request is known to be done on this machine', () => {
  const actor = viewActor({ author: 'signal SIGHUP', credential: '', address: 'this machine' })
  expect(actor.is_this_machine).toBe(true)
})

it.each([
  ['ann', { type: 'user', name: 'ann' }],
  ['command line', { type: 'command_line' }],
  ['service ci', { type: 'service', name: 'ci' }],
])('the author %j of an object, which has no credential, is known as data', (author, expected) => {
  expect(viewAuthor(author)).toEqual(expected)
})
