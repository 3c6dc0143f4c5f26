// What nodes of a database publish to each other, as events of a table.
import { z } from 'zod'
import type { Sealer } from '../../kit/bytes/seal.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { healthScopes, tripReasons } from '../../routing/health/assess-health-impact.ts'
import { healthSnapshotSchema } from '../../storage/health-store-sql.ts'
import type { NodeEvent, SharedEvents } from '../../storage/postgres/shared-events.ts'
import { type BusTopic, busTopics, createProcessBus, type LocalBus } from './process-bus.ts'

export interface NodeBusOptions {
  readonly events: Pick<SharedEvents, 'send'>
  /** Seals what callers have said and models have answered. */
  readonly sealer: Sealer
}

export interface NodeBus extends LocalBus {
  /** Hands over what another node has sent; an event that this version does not understand is ignored. */
  deliverEvent(event: NodeEvent): void
  /** Undefined where this version does not understand it. */
  readEvent(event: NodeEvent): ReadEvent | undefined
}

interface ReadEvent {
  readonly topic: BusTopic
  readonly value: unknown
}

/** The purpose that reasoning is sealed for. */
const SEALED_FOR = 'node event: reasoning'

/** The values that nodes publish, as far as a node of another version may differ. */
const nodeEventSchemas: Readonly<Record<BusTopic, z.ZodType>> = {
  health: z.looseObject({
    change: z.looseObject({
      channel: z.string(),
      scope: z.enum(healthScopes),
      credentialId: z.string().optional(),
      upstreamModel: z.string().optional(),
      to: z.enum(['healthy', 'open', 'half-open']),
      reason: z.enum(tripReasons),
      waitMs: z.number(),
      needsOperator: z.boolean(),
    }),
    snapshot: healthSnapshotSchema,
  }),
  'reset-health': z.string(),
  reasoning: z.looseObject({
    key: z.looseObject({ keyId: z.string(), callId: z.string(), fingerprint: z.number() }),
    cached: z.looseObject({
      account: z.string(),
      layout: z.looseObject({ pieces: z.array(z.looseObject({})), isSigned: z.boolean(), bytes: z.number() }),
    }),
  }),
  'budget-reached': z.looseObject({
    budget: z.looseObject({ id: z.string(), name: z.string() }),
    percent: z.number(),
    windowStartMs: z.number(),
  }),
  'requests-ended': z.array(z.looseObject({ attempts: z.array(z.looseObject({})), endedAtMs: z.number() })),
  'alert-changed': z.looseObject({ id: z.string() }),
}

export function createNodeBus({ events, sealer }: NodeBusOptions): NodeBus {
  const bus = createProcessBus((topic, value) => {
    const text = JSON.stringify(value)
    const content = topic === 'reasoning' ? sealer.seal(text, SEALED_FOR) : text
    events.send({ topic, content }, topic === 'requests-ended' ? 'relaxed' : 'urgent')
  })
  function readEvent({ topic: name, content }: NodeEvent): ReadEvent | undefined {
    const topic = busTopics.find((each) => each === name)
    if (topic === undefined) return undefined
    const text = topic === 'reasoning' ? sealer.open(content, SEALED_FOR) : content
    const read = nodeEventSchemas[topic].safeParse(text === undefined ? undefined : tryParseJson(text))
    return read.success ? { topic, value: read.data } : undefined
  }
  return {
    ...bus,
    readEvent,
    deliverEvent(event) {
      const read = readEvent(event)
      if (read !== undefined) bus.deliver(read.topic, read.value)
    },
  }
}
