import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import type { ToPart } from '../workers/part-messages.ts'
import { type MeasuredPart, MetricsCollections } from './metrics-collections.ts'

/** A process whose metrics a test sets, and what it was sent. */
function openPart() {
  const registry = new Registry()
  const registers = [registry]
  const labelNames = ['model']
  const requests = new Counter({ name: 'requests_total', help: 'x', labelNames, registers })
  const times = new Histogram({ name: 'seconds', help: 'x', labelNames, buckets: [1], registers })
  const active = new Gauge({ name: 'active', help: 'x', registers })
  const sent: ToPart[] = []
  const part: MeasuredPart = { state: 'ready', send: (message) => sent.push(message) }
  return {
    part,
    requests,
    times,
    active,
    sent,
    dump: async () => structuredClone(await registry.getMetricsAsJSON()),
  }
}

type Part = ReturnType<typeof openPart>

/** The collection that a process has got, merged like a scrape. */
function collectedBy({ sent }: Part) {
  const last = sent.findLast((message) => message.type === 'metrics')
  const sums: Record<string, number> = {}
  for (const metric of last?.dumps.flat() ?? []) {
    const { name, values } = metric as { name: string; values: { value: number; metricName?: string }[] }
    for (const { value, metricName = name } of values) sums[metricName] = (sums[metricName] ?? 0) + value
  }
  return sums
}

it('a process that does not answer in time has the metrics of its last answer', async () => {
  const clock = createFakeClock()
  const collections = new MetricsCollections(clock)
  const [asker, slow] = [openPart(), openPart()]
  const parts = [asker.part, slow.part]
  slow.requests.inc({ model: 'm' }, 5)
  const first = collections.collect(asker.part, 1, parts)
  for (const each of [asker, slow]) collections.onDump(each.part, await each.dump(), 1)
  await first
  expect(collectedBy(asker)).toMatchObject({ requests_total: 5 })

  asker.requests.inc({ model: 'm' }, 2)
  slow.requests.inc({ model: 'm' }, 1)
  const second = collections.collect(asker.part, 2, parts)
  collections.onDump(asker.part, await asker.dump(), 2)
  clock.advance(2_000)
  await second
  expect(collectedBy(asker)).toMatchObject({ requests_total: 7 })
})

it('the sums of ended processes stay, and their gauges do not', async () => {
  const collections = new MetricsCollections(createFakeClock())
  const asker = openPart()
  for (const amount of [3, 4]) {
    const ended = openPart()
    ended.requests.inc({ model: 'm' }, amount)
    ended.times.observe({ model: 'm' }, amount)
    ended.active.set(9)
    collections.onDump(ended.part, await ended.dump())
    collections.onLeft(ended.part)
  }
  const collected = collections.collect(asker.part, 1, [asker.part])
  collections.onDump(asker.part, await asker.dump(), 1)
  await collected
  expect(collectedBy(asker)).toMatchObject({
    requests_total: 7,
    active: 0,
    seconds_sum: 7,
    seconds_count: 2,
  })
})

it('a collection does not wait for a process that ends meanwhile', async () => {
  const collections = new MetricsCollections(createFakeClock())
  const [asker, dying] = [openPart(), openPart()]
  const collected = collections.collect(asker.part, 1, [asker.part, dying.part])
  collections.onDump(asker.part, await asker.dump(), 1)
  collections.onLeft(dying.part)
  await collected
  expect(collectedBy(asker)).toMatchObject({ active: 0 })
})
