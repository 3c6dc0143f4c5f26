import { type Role, roles } from '../people/role.ts'
import type { Membership } from '../people/user.ts'
import { type Claims, readTexts } from './read-claims.ts'
import type { OidcPolicy } from './sign-in-policy.ts'

export type RoleDecision =
  | { readonly type: 'role'; readonly role: Role }
  /** The operators decide: no claim gives roles, or the claim names no role and there is a default role. */
  | { readonly type: 'open' }
  /** The claim is absent, and there is no default role. */
  | { readonly type: 'missing' }
  /** The claim is present but names no role, so the provider gives this person no access. */
  | { readonly type: 'refused' }

/** The role that the claims give. If they give several, the most powerful one. */
export function decideRole(claims: Claims, policy: OidcPolicy): RoleDecision {
  if (policy.roleClaim === undefined) return { type: 'open' }
  const values = readTexts(claims, policy.roleClaim)
  const named = new Set((values ?? []).map((value) => roleOfValue(value, policy)))
  const role = roles.find((each) => named.has(each))
  if (role !== undefined) return { type: 'role', role }
  if (policy.defaultRole !== undefined) return { type: 'open' }
  return { type: values === undefined ? 'missing' : 'refused' }
}

function roleOfValue(value: string, { roles: byValue }: OidcPolicy): Role | undefined {
  return byValue === undefined ? roles.find((role) => role === value) : byValue.get(value)
}

/** The groups of a user, and the claims and policy that decide on them. */
export interface GroupInput {
  readonly claims: Claims
  readonly current: readonly Membership[]
  /** The groups of the configuration. Undefined if the configuration is not known. */
  readonly known: ReadonlySet<string> | undefined
}

/**
 * The groups that a user is in from now on. The claim decides only on the groups that it can name. All others stay
 * unchanged. Operators decide who manages a group, unless the map says so. Without the claim, the groups stay
 * unchanged.
 */
export function decideGroups(
  { claims, current, known }: GroupInput,
  policy: OidcPolicy,
): readonly Membership[] {
  const values = policy.groupClaim === undefined ? undefined : readTexts(claims, policy.groupClaim)
  if (values === undefined) return current
  const named = nameGroups(values, policy)
  const decided = decidedGroups(policy, known)
  const isDecided = (group: string) => decided === undefined || decided.has(group)
  const before = new Map(current.map((each) => [each.group, each.manager]))
  const given = [...named].filter(([group]) => known === undefined || known.has(group))
  const retained = current.filter(({ group }) => !isDecided(group))
  const manages = (group: string, byMap: boolean) =>
    byMap || (before.get(group) === true && !isManagerDecided(group, policy))
  const all = [...retained, ...given.map(([group, byMap]) => ({ group, manager: manages(group, byMap) }))]
  return all.toSorted((a, b) => (a.group < b.group ? -1 : 1))
}

/** The groups that the claim's values name, each with whether a value makes the user its manager. */
function nameGroups(values: readonly string[], { groups }: OidcPolicy): ReadonlyMap<string, boolean> {
  const named = new Map<string, boolean>()
  for (const value of values) {
    const membership = groups === undefined ? { group: value, manager: false } : groups.get(value)
    if (membership !== undefined)
      named.set(membership.group, membership.manager || named.get(membership.group) === true)
  }
  return named
}

/** The groups that the claim can name. Undefined for every group. */
function decidedGroups(
  { groups }: OidcPolicy,
  known: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  return groups === undefined ? known : new Set([...groups.values()].map(({ group }) => group))
}

/** Whether some value of the claim can make a user manager of the group. Its absence then removes that role. */
function isManagerDecided(group: string, { groups }: OidcPolicy): boolean {
  return [...(groups?.values() ?? [])].some((each) => each.group === group && each.manager)
}

export function isSameMemberships(left: readonly Membership[], right: readonly Membership[]): boolean {
  const write = (all: readonly Membership[]) =>
    all
      .map(({ group, manager }) => JSON.stringify([group, manager]))
      .toSorted()
      .join()
  return write(left) === write(right)
}
