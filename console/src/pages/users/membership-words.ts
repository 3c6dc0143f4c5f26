import type { UserView } from '../../../../src/admin/people/people-contract.ts'

type Membership = UserView['groups'][number]

/** The groups of these names; a manager stays one where the group stays. */
export function readMemberships(
  names: readonly string[],
  before: readonly Membership[] = [],
): readonly Membership[] {
  return names.map((group) => ({
    group,
    manager: before.some((each) => each.group === group && each.manager),
  }))
}
