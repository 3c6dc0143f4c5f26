import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import type { Principal } from '../../access/people/principal.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { createAdminTokenCheck } from '../check-admin-token.ts'
import { createOperatorAdmission, type OperatorRequest } from './admit-operator.ts'

const known: Principal = { type: 'admin-token' }
const admit = createOperatorAdmission({
  identity: {
    bySession: async (secret) => (secret === 'right' ? known : undefined),
    byToken: async (secret) => (secret === 'hgt_right' ? known : undefined),
  },
  checkAdmin: createAdminTokenCheck('the-admin-token'),
  recordBreakGlass: async () => undefined,
  clock: createFakeClock(),
})

const plain: OperatorRequest = {
  policy: { access: 'self' },
  method: 'GET',
  path: '/admin/v1/me',
  address: '',
  isSecure: false,
  host: 'gateway.example:8081',
  authorization: undefined,
  cookie: undefined,
  origin: undefined,
  fetchSite: undefined,
}

async function outcomeOf(more: Partial<OperatorRequest>): Promise<string> {
  try {
    return (await admit({ ...plain, ...more })) === undefined ? 'anybody' : 'in'
  } catch (error) {
    return error instanceof GatewayError ? error.failure.code : String(error)
  }
}

const cookie = 'headgate_session=right'

describe('the admission of an operator', () => {
  test.each<[string, Partial<OperatorRequest>]>([
    ['admin_only', {}],
    ['in', { cookie }],
    ['admin_only', { cookie: 'headgate_session=wrong' }],
    ['admin_only', { cookie, isSecure: true }],
    ['in', { cookie: '__Host-headgate=right', isSecure: true }],
    ['in', { authorization: 'Bearer hgt_right' }],
    ['in', { authorization: 'hgt_right' }],
    ['admin_only', { authorization: 'Bearer hgt_wrong' }],
    ['in', { authorization: 'Bearer the-admin-token' }],
    ['admin_only', { authorization: 'Bearer wrong', cookie }],
    ['anybody', { policy: { access: 'public' } }],
  ])('%s: %j', async (outcome, more) => {
    expect(await outcomeOf(more)).toBe(outcome)
  })
})

describe('the admission of a cross-site request', () => {
  const change = { method: 'POST', cookie } as const
  test.each<[string, Partial<OperatorRequest>]>([
    ['in', { ...change, fetchSite: 'same-origin' }],
    ['cross_site_request', { ...change, fetchSite: 'same-site' }],
    ['cross_site_request', { ...change, fetchSite: 'cross-site' }],
    ['cross_site_request', { ...change, fetchSite: 'none' }],
    ['cross_site_request', { ...change, fetchSite: 'cross-site', origin: 'http://gateway.example:8081' }],
    ['in', { ...change, origin: 'http://gateway.example:8081' }],
    ['cross_site_request', { ...change, origin: 'http://gateway.example' }],
    ['cross_site_request', { ...change, origin: 'null' }],
    ['cross_site_request', change],
    ['in', { method: 'GET', cookie, fetchSite: 'cross-site' }],
    ['in', { method: 'POST', authorization: 'Bearer hgt_right', fetchSite: 'cross-site' }],
    ['cross_site_request', { policy: { access: 'public' }, method: 'POST', fetchSite: 'cross-site' }],
    ['cross_site_request', { policy: { access: 'public' }, method: 'POST', origin: 'http://evil.example' }],
    ['anybody', { policy: { access: 'public' }, method: 'POST', fetchSite: 'same-origin' }],
  ])('%s: %j', async (outcome, more) => {
    expect(await outcomeOf(more)).toBe(outcome)
  })
})
