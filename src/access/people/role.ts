/** The roles by power: the first may do everything, the last may change only its own objects. */
export const roles = ['owner', 'admin', 'viewer', 'member'] as const

export type Role = (typeof roles)[number]
