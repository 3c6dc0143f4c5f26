import { type OrderTargets, sortByCost } from './order-facts.ts'

/** `priority-weighted`: by weight, a conversation always the same way, whatever belongs to none by chance. */
export const orderByWeight: OrderTargets = (targets, facts) => sortByCost(targets, facts, () => 0)
