// Reasoning that clients do not return: the next turn may come to another process than the one that saw it.
import type {
  CachedReasoning,
  ReasoningCache,
  ReasoningKey,
} from '../../pipeline/reasoning/reasoning-cache.ts'
import type { ProcessBus } from '../nodes/process-bus.ts'

interface FoundReasoning {
  readonly key: ReasoningKey
  readonly cached: CachedReasoning
}

export function shareReasoning(bus: ProcessBus, cache: ReasoningCache): void {
  cache.onFound = (key, cached) => bus.publish('reasoning', { key, cached } satisfies FoundReasoning)
  bus.on('reasoning', (value) => {
    // It is what another process of this version sent.
    const { key, cached } = value as FoundReasoning
    cache.adopt(key, cached)
  })
}
