/** The strategies that order the targets of one priority. */
export const strategies = ['priority-weighted', 'least-latency', 'least-busy', 'cheapest'] as const

export type Strategy = (typeof strategies)[number]
