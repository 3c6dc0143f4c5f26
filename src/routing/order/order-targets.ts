import type { Strategy } from '../../catalog/strategy.ts'
import { orderByLatency } from './order-by-latency.ts'
import { orderByLoad } from './order-by-load.ts'
import { orderByPrice } from './order-by-price.ts'
import { orderByWeight } from './order-by-weight.ts'
import type { OrderTargets } from './order-facts.ts'

/** How each strategy orders the targets of one priority. */
export const orderTargets: Readonly<Record<Strategy, OrderTargets>> = {
  'priority-weighted': orderByWeight,
  'least-latency': orderByLatency,
  'least-busy': orderByLoad,
  cheapest: orderByPrice,
}
