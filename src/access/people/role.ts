/** The roles, from the one that may do everything to the one that may change its own objects alone. */
export const roles = ['owner', 'admin', 'viewer', 'member'] as const

export type Role = (typeof roles)[number]
