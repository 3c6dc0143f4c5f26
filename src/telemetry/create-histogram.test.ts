import { AggregatorRegistry, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createHistogram } from './create-histogram.ts'

const options = {
  name: 'seconds',
  help: 'Durations.',
  labelNames: ['format', 'model'],
  buckets: [0.1, 1, 10],
}
const observed = [
  [['chat', 'a'], 0.05],
  [['chat', 'a'], 0.1],
  [['chat', 'a'], 0.11],
  [['chat', 'b "quoted"'], 10],
  [['chat', 'b "quoted"'], 11.5],
  [['messages', 'a'], 0],
] as const

function observeBoth() {
  const [ours, theirs] = [new Registry(), new Registry()]
  const histogram = createHistogram(ours, options)
  const usual = new Histogram({ ...options, registers: [theirs] })
  for (const [[format, model], seconds] of observed) {
    histogram.add([format, model], seconds)
    usual.observe({ format, model }, seconds)
  }
  return { ours, theirs }
}

test("a histogram is written like one of the library's own", async () => {
  const { ours, theirs } = observeBoth()
  expect(await ours.metrics()).toBe(await theirs.metrics())
})

test("the dumps of several processes add up as those of the library's own", async () => {
  const { ours, theirs } = observeBoth()
  const addUp = async (registry: Registry) => {
    const dump = await registry.getMetricsAsJSON()
    return AggregatorRegistry.aggregate([dump, dump]).metrics()
  }
  expect(await addUp(ours)).toBe(await addUp(theirs))
})
