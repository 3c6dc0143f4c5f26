import { expect, test } from 'vitest'
import { OperatorError } from '../../canonical/operator-error.ts'
import { requirePolicies } from './require-policies.ts'

const path = '/admin/v1/keys'

function faultOf(...routes: Parameters<typeof requirePolicies>[0]): string {
  try {
    requirePolicies(routes)
    return 'none'
  } catch (error) {
    return error instanceof OperatorError ? `${error.code}: ${error.happened}` : String(error)
  }
}

test.each<[string, unknown]>([
  ['none at all', undefined],
  ['that of a path of callers', 'caller'],
  ['everybody, as for a probe', 'anyone'],
  ['an unknown kind', { access: 'anybody' }],
  ['a scope that no token can have', { access: 'read', scope: 'keys:reed' }],
  ['no scope where one is needed', { access: 'write' }],
  ['an empty list of fields that need the password', { access: 'write', scope: 'keys:write', fresh: [] }],
  ['a password for reading, which nothing asks for', { access: 'read', scope: 'keys:read', fresh: true }],
  ['a misspelt member', { access: 'write', scope: 'keys:write', frehs: true }],
])('an admin API route with an invalid policy is refused: %s', (_case, policy) => {
  expect(faultOf({ method: 'GET', path, policy })).toBe(
    'route_table_invalid: the route GET /admin/v1/keys does not say who may call it',
  )
})

test.each<unknown>([
  { access: 'public' },
  { access: 'self', tokens: true, fresh: true },
  { access: 'own', scope: 'keys:write' },
  { access: 'read', scope: 'keys:read' },
  { access: 'write', scope: 'channels:write', fresh: ['base_url'] },
  { access: 'owner', scope: 'backup:read', fresh: true },
])('an admin API route with a complete policy is accepted: %j', (policy) => {
  expect(faultOf({ method: 'GET', path, policy })).toBe('none')
})

test('a route for callers needs a policy too', () => {
  expect(faultOf({ method: 'POST', path: '/v1/chat/completions', policy: 'caller' })).toBe('none')
  expect(faultOf({ method: 'POST', path: '/v1/chat/completions' })).toContain('route_table_invalid')
  expect(faultOf({ method: 'GET', path: '/metrics', policy: 'metrics' })).toBe('none')
})

test('a second route for the same method and path is refused, since it would replace the first', () => {
  const strict = { method: 'GET', path, policy: { access: 'read', scope: 'keys:read' } } as const
  expect(faultOf(strict, { ...strict, policy: { access: 'public' } })).toBe(
    'route_table_invalid: the route GET /admin/v1/keys is there twice',
  )
  expect(faultOf(strict, { ...strict, method: 'POST' })).toBe('none')
})
