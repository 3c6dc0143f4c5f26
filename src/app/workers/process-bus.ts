// The topics that processes of one machine publish to each other, and who hears them.
import type { BusTopic, ProcessBus } from './process-part.ts'

export interface LocalBus extends ProcessBus {
  /** Hands over what another process has published. */
  deliver(topic: string, value: unknown): void
}

export function createProcessBus(send: (topic: BusTopic, value: unknown) => void): LocalBus {
  const handlers = new Map<string, ((value: unknown) => void)[]>()
  return {
    publish: send,
    on(topic, handle) {
      handlers.set(topic, [...(handlers.get(topic) ?? []), handle])
    },
    deliver(topic, value) {
      for (const handle of handlers.get(topic) ?? []) handle(value)
    },
  }
}
