// The topics that the processes of an installation publish to each other, and who hears them.

/** Joins the processes of an installation: each hears what the others publish, without an answer. */
export interface ProcessBus {
  publish(topic: BusTopic, value: unknown): void
  on(topic: BusTopic, handle: (value: unknown) => void): void
}

export const busTopics = [
  'health',
  'reset-health',
  'reasoning',
  'budget-reached',
  'requests-ended',
  'alert-changed',
] as const
export type BusTopic = (typeof busTopics)[number]

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
