/** From the one who may do everything to the one who may do what is their own. */
export const roles = ['owner', 'admin', 'viewer', 'member'] as const

export type Role = (typeof roles)[number]
