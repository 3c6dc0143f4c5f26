import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createCaptureMetrics } from './capture-metrics.ts'

it('counts captures by outcome, and reads their memory use at each scrape', async () => {
  const registry = new Registry()
  const metrics = createCaptureMetrics(registry)
  let held = 10
  expect(await registry.metrics()).toContain('headgate_capture_held_bytes 0')
  metrics.watch(() => held)
  metrics.counted('stored')
  metrics.counted('stored')
  metrics.counted('too-large')
  held = 20
  const text = await registry.metrics()
  expect(text).toContain('headgate_captures_total{outcome="stored"} 2')
  expect(text).toContain('headgate_captures_total{outcome="too-large"} 1')
  expect(text).toContain('headgate_capture_held_bytes 20')
})
