import type { UserView } from '../../../../src/admin/people/people-contract.ts'

type Membership = UserView['groups'][number]

/** The memberships in the named groups. A user who manages a group remains its manager. */
export function readMemberships(
  names: readonly string[],
  before: readonly Membership[] = [],
): readonly Membership[] {
  return names.map((group) => ({
    group,
    manager: before.some((each) => each.group === group && each.manager),
  }))
}
