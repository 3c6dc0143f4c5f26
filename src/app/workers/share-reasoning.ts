// Shares reasoning that clients do not return: the next turn may reach another process than the previous one.
import type { ReasoningCache } from '../../pipeline/reasoning/reasoning-cache.ts'
import type { ProcessBus } from '../nodes/process-bus.ts'

export function shareReasoning(bus: ProcessBus, cache: ReasoningCache): void {
  cache.onFound = (key, cached) => bus.publish('reasoning', { key, cached })
  bus.on('reasoning', ({ key, cached }) => cache.adopt(key, cached))
}
