import { ownedByOf, type Reach, reachOf } from '../access/people/principal.ts'
import type { OwnedBy } from '../canonical/owned-by.ts'
import type { AdminRequest } from './admin-route.ts'

/** The keys, users and groups that the sender of the request may see and change. */
export function readReach({ principal }: Pick<AdminRequest, 'principal'>): Reach {
  return reachOf(principal)
}

/** The same reach as the filter of a query. Undefined if the sender reaches everything. */
export function readOwnedBy(request: Pick<AdminRequest, 'principal'>): OwnedBy | undefined {
  return ownedByOf(readReach(request))
}
