import { describe, expect, test } from 'vitest'
import { brand } from '../../kit/values/brand.ts'
import { type AdminPolicy, findRefusal } from './policy.ts'
import type { Principal, UserCredential } from './principal.ts'
import { type Role, roles } from './role.ts'
import type { SessionId } from './session.ts'
import type { TokenId } from './token.ts'
import type { UserId } from './user.ts'

const NOW_MS = 1_000
const fresh = { type: 'session', id: brand<SessionId>('ses_1'), freshUntilMs: NOW_MS + 1 } as const
const stale = { ...fresh, freshUntilMs: NOW_MS }
const tokenWith = (...scopes: string[]) => ({ type: 'token', id: brand<TokenId>('tok_1'), scopes }) as const
const as = (role: Role, credential: UserCredential = fresh): Principal => ({
  ...{ type: 'user', id: brand<UserId>('usr_1'), name: 'anna', role, groups: [], credential },
})
const service = (role: Role, ...scopes: string[]): Principal => ({
  ...{ type: 'service', tokenId: brand<TokenId>('tok_2'), name: 'reports', role, scopes },
})
const refusalsOf = (policy: AdminPolicy, credential?: UserCredential) =>
  roles.filter((role) => findRefusal(policy, as(role, credential), NOW_MS) === undefined)

describe('a route', () => {
  test.each<[AdminPolicy['access'], readonly Role[]]>([
    ['own', ['owner', 'admin', 'viewer', 'member']],
    ['read', ['owner', 'admin', 'viewer']],
    ['write', ['owner', 'admin']],
    ['owner', ['owner']],
  ])('of the access "%s" is for %j', (access, allowed) => {
    const policy = { access, scope: 'keys:read' } as AdminPolicy
    expect(refusalsOf(policy)).toEqual(allowed)
  })

  test('for everybody, or for oneself, is open to every role', () => {
    expect(refusalsOf({ access: 'public' })).toHaveLength(4)
    expect(refusalsOf({ access: 'self' }, stale)).toHaveLength(4)
  })

  test('that needs a fresh password refuses a session that is older', () => {
    const policy = { access: 'write', scope: 'users:write', fresh: true } as const
    expect(findRefusal(policy, as('admin'), NOW_MS)).toBeUndefined()
    expect(findRefusal(policy, as('admin', stale), NOW_MS)).toBe('fresh')
    expect(findRefusal(policy, as('member', stale), NOW_MS)).toBe('role')
  })

  test('is never refused to the admin token', () => {
    const policy = { access: 'owner', scope: 'backup:write', fresh: true } as const
    expect(findRefusal(policy, { type: 'admin-token' }, NOW_MS)).toBeUndefined()
  })
})

describe('a token', () => {
  const read = { access: 'read', scope: 'usage:read' } as const

  test('may do what it has the scope for, and no more than its role', () => {
    expect(findRefusal(read, as('viewer', tokenWith('usage:read')), NOW_MS)).toBeUndefined()
    expect(findRefusal(read, as('member', tokenWith('usage:read')), NOW_MS)).toBe('role')
    expect(findRefusal(read, as('owner', tokenWith('keys:read')), NOW_MS)).toBe('scope')
    expect(findRefusal(read, service('viewer', 'usage:read'), NOW_MS)).toBeUndefined()
    expect(findRefusal(read, service('viewer'), NOW_MS)).toBe('scope')
  })

  test('that may write may read, and not the other way round', () => {
    expect(findRefusal(read, service('viewer', 'usage:write'), NOW_MS)).toBeUndefined()
    const write = { access: 'write', scope: 'keys:write' } as const
    expect(findRefusal(write, service('admin', 'keys:read'), NOW_MS)).toBe('scope')
  })
})
