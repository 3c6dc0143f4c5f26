// The topics on which the processes of an installation publish to each other, and their subscribers.
import type { KeyUse } from '../../access/key-uses.ts'
import type { Acknowledgement, Mute } from '../../alerts/alert.ts'
import { isJsonObject } from '../../kit/json/json.ts'
import type { ReachedThreshold } from '../../metering/budgets/reached-threshold.ts'
import type { CachedReasoning, ReasoningKey } from '../../pipeline/reasoning/reasoning-cache.ts'
import type { HealthChange } from '../../routing/health/health-report.ts'
import type { HealthSnapshot } from '../../routing/health/health-store.ts'
import type { JudgedRow } from '../../telemetry/observer.ts'

/** The published values by topic. */
export interface BusValues {
  readonly health: { readonly change: HealthChange; readonly snapshot: HealthSnapshot }
  /** The name of a channel. */
  readonly 'reset-health': string
  readonly reasoning: { readonly key: ReasoningKey; readonly cached: CachedReasoning }
  readonly 'budget-reached': ReachedThreshold
  readonly 'requests-ended': readonly JudgedRow[]
  readonly 'alert-changed': AlertChanged
  /** The last uses that were stored. */
  readonly 'keys-used': readonly KeyUse[]
}

/** An operator's change of an open alert, received by a node that does not decide. */
export interface AlertChanged {
  readonly id: string
  readonly acknowledged?: Acknowledgement
  /** Null ends the mute. */
  readonly mute?: Mute | null
}

/**
 * Connects the processes of an installation: each receives the values that the others publish. There are no replies.
 */
export interface ProcessBus {
  publish<Topic extends BusTopic>(topic: Topic, value: BusValues[Topic]): void
  on<Topic extends BusTopic>(topic: Topic, handle: (value: BusValues[Topic]) => void): void
}

export const busTopics = [
  'health',
  'reset-health',
  'reasoning',
  'budget-reached',
  'requests-ended',
  'alert-changed',
  'keys-used',
] as const
export type BusTopic = (typeof busTopics)[number]

export interface LocalBus extends ProcessBus {
  /** Delivers a value that another process has published. */
  deliver(topic: string, value: unknown): void
}

type Handlers = { [Topic in BusTopic]: ((value: BusValues[Topic]) => void)[] }

export function createProcessBus(send: (topic: BusTopic, value: unknown) => void): LocalBus {
  const handlers: Handlers = {
    health: [],
    'reset-health': [],
    reasoning: [],
    'budget-reached': [],
    'requests-ended': [],
    'alert-changed': [],
    'keys-used': [],
  }
  function deliverTo<Topic extends BusTopic>(topic: Topic, value: unknown): void {
    if (!isPublishedOn(topic, value)) return
    for (const handle of handlers[topic]) handle(value)
  }
  return {
    publish: send,
    on(topic, handle) {
      handlers[topic].push(handle)
    },
    deliver(name, value) {
      const topic = busTopics.find((each) => each === name)
      if (topic !== undefined) deliverTo(topic, value)
    },
  }
}

const hasMember = (name: string) => (value: unknown) => isJsonObject(value) && value[name] !== undefined
const checks: Readonly<Record<BusTopic, (value: unknown) => boolean>> = {
  health: hasMember('snapshot'),
  'reset-health': (value) => typeof value === 'string',
  reasoning: hasMember('cached'),
  'budget-reached': hasMember('budget'),
  'requests-ended': Array.isArray,
  'alert-changed': hasMember('id'),
  'keys-used': Array.isArray,
}

/**
 * Whether a value belongs to its topic. Only the outermost shape is checked: processes of one machine run the same
 * program, and values of other nodes have passed their schema.
 */
export function isPublishedOn<Topic extends BusTopic>(
  topic: Topic,
  value: unknown,
): value is BusValues[Topic] {
  return checks[topic](value)
}
