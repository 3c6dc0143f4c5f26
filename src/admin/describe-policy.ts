// The policy of an operation in the OpenAPI document.
import { type AdminPolicy, rolesOf } from '../access/people/policy.ts'
import { sessionCookieName } from '../access/people/session-cookie.ts'
import type { ErrorCode } from '../canonical/error-table.ts'
import type { JsonObject } from '../kit/json/json.ts'

/** The forms of credentials, as the document declares them. */
export function describeCredentials(): JsonObject {
  return {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookieName(true),
      description: `The cookie that POST /admin/v1/sign-in sets; over plain HTTP it is named ${sessionCookieName(false)}.`,
    },
    token: { type: 'http', scheme: 'bearer', description: 'A token of a user or of a service (hgt_…).' },
    adminToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'The admin token, for emergencies and the command line.',
    },
  }
}

export function describeSecurity(policy: AdminPolicy): readonly JsonObject[] {
  if (policy.access === 'public') return []
  const tokens = acceptsTokens(policy) ? [{ token: [] }] : []
  return [{ session: [] }, ...tokens, { adminToken: [] }]
}

function acceptsTokens(policy: AdminPolicy): boolean {
  return policy.access === 'self' ? policy.tokens === true : policy.access !== 'public'
}

/** The policy in full, which `security` has no words for. */
export function describePolicy(policy: AdminPolicy): JsonObject {
  const fresh = 'fresh' in policy ? policy.fresh : undefined
  return {
    access: policy.access,
    roles: policy.access === 'public' ? [] : [...rolesOf(policy)],
    tokens: acceptsTokens(policy),
    scope: 'scope' in policy ? policy.scope : null,
    recent_password: fresh === undefined || fresh === true ? fresh === true : [...fresh],
  }
}

interface PolicyOf {
  readonly policy: AdminPolicy
  readonly method: string
}

/** The errors that follow from the policy itself. */
export function policyErrors({ policy, method }: PolicyOf): readonly ErrorCode[] {
  const crossSite: readonly ErrorCode[] = method === 'GET' ? [] : ['cross_site_request']
  if (policy.access === 'public') return crossSite
  const unfinished: readonly ErrorCode[] =
    policy.access === 'self' && policy.unfinished === true ? [] : ['code_required', 'second_factor_required']
  const byRole: readonly ErrorCode[] = policy.access === 'self' ? [] : ['not_permitted']
  const byScope: readonly ErrorCode[] =
    policy.access === 'self' && policy.tokens === true ? [] : ['scope_missing']
  const stale: readonly ErrorCode[] =
    'fresh' in policy && policy.fresh !== undefined ? ['reauthentication_required'] : []
  return ['admin_only', ...unfinished, ...crossSite, ...byRole, ...byScope, ...stale]
}
