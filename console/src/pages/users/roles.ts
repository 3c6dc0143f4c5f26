import { usePermissions } from '../../shell/use-me.ts'

export const roles = ['owner', 'admin', 'viewer', 'member'] as const
export type Role = (typeof roles)[number]

export function isRole(text: string): text is Role {
  return roles.some((role) => role === text)
}

/** The roles that somebody may give: an owner is made by an owner alone. */
export function useGivenRoles(): readonly Role[] {
  const { isOwner } = usePermissions()
  return isOwner ? roles : roles.filter((role) => role !== 'owner')
}
