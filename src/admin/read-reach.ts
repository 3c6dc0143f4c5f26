import { ownedByOf, type Reach, reachOf } from '../access/people/principal.ts'
import type { OwnedBy } from '../canonical/owned-by.ts'
import type { AdminRequest } from './admin-route.ts'

/** The keys, users and groups that the one who makes the request may see and change. */
export function readReach({ principal }: Pick<AdminRequest, 'principal'>): Reach {
  return reachOf(principal)
}

/** The same as a restriction of a query; undefined for those who reach everything. */
export function readOwnedBy(request: Pick<AdminRequest, 'principal'>): OwnedBy | undefined {
  return ownedByOf(readReach(request))
}
