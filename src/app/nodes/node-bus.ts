// The values that the nodes of a database publish to each other, as events of a table.
import type { Sealer } from '../../kit/bytes/seal.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import type { NodeEvent, SharedEvents } from '../../storage/postgres/shared-events.ts'
import { nodeEventSchemas } from './node-event-schema.ts'
import { type BusTopic, busTopics, createProcessBus, type LocalBus } from './process-bus.ts'

export interface NodeBusOptions {
  readonly events: Pick<SharedEvents, 'send'>
  /** Seals prompts of callers and answers of models. */
  readonly sealer: Sealer
}

export interface NodeBus extends LocalBus {
  /** Delivers an event of another node. An event that this version does not understand is ignored. */
  deliverEvent(event: NodeEvent): void
  /** Reads an event; undefined if this version does not understand it. */
  readEvent(event: NodeEvent): ReadEvent | undefined
}

interface ReadEvent {
  readonly topic: BusTopic
  readonly value: unknown
}

/** The topics whose values may arrive some seconds later. */
const relaxedTopics: ReadonlySet<BusTopic> = new Set(['requests-ended', 'keys-used'])
/** The purpose for which reasoning is sealed. */
const SEALED_FOR = 'node event: reasoning'

export function createNodeBus({ events, sealer }: NodeBusOptions): NodeBus {
  const bus = createProcessBus((topic, value) => {
    const text = JSON.stringify(value)
    const content = topic === 'reasoning' ? sealer.seal(text, SEALED_FOR) : text
    events.send({ topic, content }, relaxedTopics.has(topic) ? 'relaxed' : 'urgent')
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
