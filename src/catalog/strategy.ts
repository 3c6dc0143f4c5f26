/** How the targets of one priority are ordered. */
export const strategies = ['priority-weighted', 'least-latency', 'least-busy', 'cheapest'] as const

export type Strategy = (typeof strategies)[number]
