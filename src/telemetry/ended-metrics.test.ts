import fc from 'fast-check'
import { Counter, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { EndedMetrics } from './ended-metrics.ts'
import { createMetrics } from './metrics.ts'

/** The dump of a process that has counted an amount. */
async function dumpOf(amount: number) {
  const registry = new Registry()
  new Counter({ name: 'cost_total', help: 'x', labelNames: ['key'], registers: [registry] }).inc(
    { key: 'a' },
    amount,
  )
  return structuredClone(await registry.getMetricsAsJSON())
}

const { renderSum } = createMetrics({ version: '1', node: '24', platform: 'linux' })

/** The counter as a scrape shows it. */
async function shownBy(dumps: readonly (readonly object[])[]): Promise<number> {
  return Number(/^cost_total\{key="a"\} (\S+)$/m.exec(await renderSum(dumps))?.[1])
}

it('no scrape shows less than the one before, in whatever order processes end', async () => {
  const amounts = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 6 })
  const property = fc.asyncProperty(amounts, fc.infiniteStream(fc.nat()), async (all, victims) => {
    const ended = new EndedMetrics()
    let running = await Promise.all(all.map(dumpOf))
    let shown = await shownBy(running)
    while (running.length > 1) {
      const victim = running[(victims.next().value ?? 0) % running.length] ?? []
      const after = running.filter((dump) => dump !== victim)
      ended.add(victim, { before: running, after })
      running = after
      const next = await shownBy([...running, ended.dump()])
      expect(next).toBeGreaterThanOrEqual(shown)
      expect(next).toBeCloseTo(shown, 6)
      shown = next
    }
  })
  await fc.assert(property, { numRuns: 500 })
})
