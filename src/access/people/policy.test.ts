import { describe, expect, it, test } from 'vitest'
import { brand } from '../../kit/brand.ts'
import { type AdminPolicy, refusalOf } from './policy.ts'
import { authorOf, credentialOf, type Principal, reachOf, type UserCredential } from './principal.ts'
import { type Role, roles } from './role.ts'
import { coversScope, type Scope } from './scope.ts'
import type { SessionId } from './session.ts'
import type { TokenId } from './token.ts'
import type { UserId } from './user.ts'

const nowMs = 1_000_000
const session = (freshUntilMs = 0): UserCredential => ({
  type: 'session',
  id: brand<SessionId>('ses_1'),
  freshUntilMs,
})

const token = (...scopes: readonly Scope[]): UserCredential => ({
  type: 'token',
  id: brand<TokenId>('tok_1'),
  name: 'ci',
  scopes,
})

const groups = [
  { group: 'search', manager: true },
  { group: 'mail', manager: false },
]
const user = (role: Role, credential: UserCredential = session()): Principal => ({
  type: 'user',
  id: brand<UserId>('usr_1'),
  name: 'ada',
  role,
  groups,
  credential,
})

const service = (role: Role, ...scopes: readonly Scope[]): Principal => ({
  type: 'service',
  id: brand<TokenId>('tok_2'),
  name: 'deploy',
  role,
  scopes,
})

const reasonOf = (
  policy: AdminPolicy,
  principal: Principal | undefined,
  fields: readonly string[] = [],
): string => refusalOf(policy, principal, { nowMs, fields })?.reason ?? 'passes'

const policies: readonly (readonly [AdminPolicy, readonly Role[]])[] = [
  [{ access: 'public' }, ['owner', 'admin', 'viewer', 'member']],
  [{ access: 'self' }, ['owner', 'admin', 'viewer', 'member']],
  [{ access: 'own', scope: 'keys:read' }, ['owner', 'admin', 'viewer', 'member']],
  [{ access: 'own', scope: 'keys:write' }, ['owner', 'admin', 'member']],
  [{ access: 'read', scope: 'config:read' }, ['owner', 'admin', 'viewer']],
  [{ access: 'write', scope: 'config:write' }, ['owner', 'admin']],
  [{ access: 'owner', scope: 'backup:read' }, ['owner']],
]

describe.each(policies)('policy %j', (policy, allowed) => {
  it.each(roles)('admits only sessions with the allowed roles: %s', (role) => {
    expect(reasonOf(policy, user(role))).toBe(allowed.includes(role) ? 'passes' : 'role')
  })

  it('admits the admin token', () => {
    expect(reasonOf(policy, { type: 'admin-token' })).toBe('passes')
  })

  it('refuses an unauthenticated request unless the policy is public', () => {
    expect(reasonOf(policy, undefined)).toBe(policy.access === 'public' ? 'passes' : 'unauthenticated')
  })
})

test('a token may do only what both its scopes and the role of its user allow', () => {
  const policy = { access: 'write', scope: 'keys:write' } as const
  expect(reasonOf(policy, user('admin', token('keys:write')))).toBe('passes')
  expect(reasonOf(policy, user('admin', token('keys:read', 'config:write')))).toBe('scope')
  expect(reasonOf(policy, user('viewer', token('keys:write')))).toBe('role')
  expect(reasonOf(policy, service('admin', 'keys:write'))).toBe('passes')
  expect(reasonOf(policy, service('admin'))).toBe('scope')
})

test('the write scope of a noun includes its read scope, but not the reverse', () => {
  expect(coversScope(['keys:write'], 'keys:read')).toBe(true)
  expect(coversScope(['keys:read'], 'keys:write')).toBe(false)
  expect(coversScope(['config:write'], 'keys:read')).toBe(false)
})

test("a route for one's own account needs a session, unless the route accepts tokens", () => {
  expect(reasonOf({ access: 'self' }, user('owner', token('users:write')))).toBe('session')
  expect(reasonOf({ access: 'self' }, service('owner', 'users:write'))).toBe('session')
  expect(reasonOf({ access: 'self', tokens: true }, user('member', token()))).toBe('passes')
})

test('a service with the role of member has no objects of its own', () => {
  expect(reasonOf({ access: 'own', scope: 'keys:read' }, service('member', 'keys:read'))).toBe('role')
  expect(reasonOf({ access: 'own', scope: 'keys:read' }, service('viewer', 'keys:read'))).toBe('passes')
})

describe('a request that needs a recent password check', () => {
  const policy = { access: 'write', scope: 'channels:write', fresh: true } as const

  it('passes until the session is no longer fresh, to the millisecond', () => {
    expect(reasonOf(policy, user('admin', session(nowMs + 1)))).toBe('passes')
    expect(reasonOf(policy, user('admin', session(nowMs)))).toBe('fresh')
  })

  it('is allowed for a token that also has the scope for sensitive changes', () => {
    expect(reasonOf(policy, user('admin', token('channels:write')))).toBe('scope')
    expect(reasonOf(policy, user('admin', token('channels:write', 'sensitive:write')))).toBe('passes')
    expect(reasonOf(policy, user('admin', token('sensitive:write')))).toBe('scope')
    expect(reasonOf(policy, service('admin', 'channels:write', 'sensitive:write'))).toBe('passes')
  })

  it('is refused because of the role first, which a password check cannot change', () => {
    expect(reasonOf(policy, user('viewer'))).toBe('role')
  })

  it('needs the check only for the listed fields if the policy lists fields', () => {
    const some = { ...policy, fresh: ['base_url'] } as const
    expect(reasonOf(some, user('admin'))).toBe('passes')
    expect(reasonOf(some, user('admin'), ['weight'])).toBe('passes')
    expect(reasonOf(some, user('admin'), ['weight', 'base_url'])).toBe('fresh')
    expect(reasonOf(some, { type: 'admin-token' }, ['base_url'])).toBe('passes')
  })
})

test('a member reaches its own objects and those of the groups it manages, and every other role reaches all', () => {
  expect(reachOf(user('member'))).toEqual({
    type: 'own',
    user: 'ada',
    groups: ['search', 'mail'],
    managedGroups: ['search'],
  })
  expect(reachOf(user('viewer'))).toEqual({ type: 'all' })
  expect(reachOf(service('viewer'))).toEqual({ type: 'all' })
  expect(reachOf({ type: 'admin-token' })).toEqual({ type: 'all' })
})

test('the audit names people, services and the admin token', () => {
  expect([user('owner'), service('admin'), { type: 'admin-token' } as const].map(authorOf)).toEqual([
    'ada',
    'service deploy',
    'admin token',
  ])
})

test('the audit shows which credential admitted each principal', () => {
  const principals = [
    user('owner'),
    user('owner', token()),
    service('admin'),
    { type: 'admin-token' } as const,
  ]
  expect(principals.map(credentialOf)).toEqual(['session', 'token "ci"', 'token "deploy"', 'admin token'])
})
