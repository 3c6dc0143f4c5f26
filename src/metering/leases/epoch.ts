import type { Branded } from '../../kit/brand.ts'

/**
 * The number of a process's membership among the processes that share budgets. A process that dies or stalls loses its
 * epoch with all its leases. It may begin another epoch.
 */
export type Epoch = Branded<number, 'Epoch'>
