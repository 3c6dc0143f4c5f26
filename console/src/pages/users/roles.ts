import { roleSchema } from '../../../../src/admin/people/people-contract.ts'
import { useMay } from '../../shell/use-me.ts'

const roles = roleSchema.options
type Role = (typeof roles)[number]

/** The roles that the user may give. Only an owner can make another user an owner. */
export function useGivenRoles(): readonly Role[] {
  const makesOwners = useMay('POST /users/invite-owner')
  return makesOwners ? roles : roles.filter((role) => role !== 'owner')
}
