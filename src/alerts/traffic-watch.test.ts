import { expect, it } from 'vitest'
import { createRequestRow } from '../../test/support/request-row.ts'
import type { ErrorCode } from '../canonical/error-table.ts'
import type { Alert, Condition } from './alert.ts'
import { alertRuleSchema, type TrafficRule } from './alert-rule-schema.ts'
import { TrafficWatch } from './traffic-watch.ts'

const MINUTE_MS = 60_000
const startMs = Date.UTC(2026, 10, 24)

function ruleOf(input: object): TrafficRule {
  const { rule } = alertRuleSchema.parse(input)
  if (rule.kind !== 'error-rate' && rule.kind !== 'latency') throw new Error('another kind')
  return rule
}

/** A watch with the alerts that it has opened. */
function openWatch(rule: TrafficRule) {
  const watch = new TrafficWatch()
  watch.change([rule], startMs)
  const open = new Map<string, Alert>()
  const events: string[] = []
  const [base] = createRequestRow().attempts
  if (base === undefined) throw new Error('no attempt')
  return {
    watch,
    open,
    events,
    send(
      outcome: 'answered' | ErrorCode,
      atMs: number,
      durations: { firstMs?: number; totalMs?: number } = {},
    ) {
      const { firstMs = 20, totalMs = 30 } = durations
      const error = outcome === 'answered' ? undefined : outcome
      const attempt = { ...base, outcome, firstContentMs: firstMs, totalMs }
      const row = createRequestRow({ attempts: [attempt], error, endedAtMs: startMs + atMs })
      watch.requestEnded({ ...row, firstContentMs: firstMs, totalMs })
    },
    judge(atMs: number) {
      const { conditions, ends } = watch.judge([...open.values()], startMs + atMs)
      for (const condition of conditions) {
        if (!open.has(condition.identity))
          events.push(`open ${condition.subject.channel ?? condition.subject.model}`)
        open.set(condition.identity, alertOf(condition))
      }
      for (const [identity, { as }] of ends) {
        if (open.delete(identity)) events.push(as)
      }
    },
  }
}

function alertOf(condition: Condition): Alert {
  return {
    ...condition,
    id: 'alr_1',
    peakSeverity: condition.severity,
    openedAtMs: startMs,
    reportedAtMs: startMs,
    resolved: undefined,
    acknowledged: undefined,
    mute: undefined,
  }
}

const errorRate = { kind: 'error-rate', above: 20, window: '1m', min_requests: 10 }

it('a rate that fluctuates around the threshold opens one alert', () => {
  const scene = openWatch(ruleOf(errorRate))
  // 18 and 22 percent in turn, window by window: above 20 once, and never below 16.
  for (let minute = 0; minute < 10; minute += 1) {
    const failures = minute % 2 === 0 ? 11 : 9
    for (let call = 0; call < 50; call += 1)
      scene.send(call < failures ? 'upstream_error' : 'answered', minute * MINUTE_MS + call)
    scene.judge(minute * MINUTE_MS + 1_000)
  }
  expect(scene.events).toEqual(['open primary'])
})

it('fewer requests than the rule requires open no alert', () => {
  const scene = openWatch(ruleOf(errorRate))
  for (let call = 0; call < 9; call += 1) scene.send('upstream_error', call)
  scene.judge(1_000)
  expect(scene.events).toEqual([])
  scene.send('upstream_error', 10)
  scene.judge(1_000)
  expect(scene.events).toEqual(['open primary'])
})

it('errors caused by the caller are left out of the failures and the requests of a channel', () => {
  const scene = openWatch(ruleOf(errorRate))
  for (let call = 0; call < 100; call += 1) scene.send('budget_exceeded', call)
  for (let call = 0; call < 10; call += 1) scene.send('answered', call)
  scene.judge(1_000)
  expect(scene.events).toEqual([])
})

it('an alert ends when there is too little traffic to judge, but only after a whole window', () => {
  const rule = ruleOf(errorRate)
  const scene = openWatch(rule)
  for (let call = 0; call < 10; call += 1) scene.send('upstream_error', call)
  scene.judge(1_000)
  scene.judge(50_000)
  expect(scene.events).toEqual(['open primary'])
  scene.judge(3 * MINUTE_MS)
  expect(scene.events).toEqual(['open primary', 'no-data'])
  // A trickle is too little to judge by, too.
  const trickle = openWatch(rule)
  for (let call = 0; call < 10; call += 1) trickle.send('upstream_error', call)
  trickle.judge(1_000)
  trickle.send('upstream_error', 3 * MINUTE_MS)
  trickle.judge(3 * MINUTE_MS)
  expect(trickle.events).toEqual(['open primary', 'no-data'])
  // After a restart the window is empty at first.
  const restarted = openWatch(rule)
  for (const alert of [...openAfter(rule)]) restarted.open.set(alert.identity, alert)
  restarted.judge(1_000)
  expect(restarted.events).toEqual([])
  restarted.judge(MINUTE_MS)
  expect(restarted.events).toEqual(['no-data'])
})

function openAfter(rule: TrafficRule): readonly Alert[] {
  const scene = openWatch(rule)
  for (let call = 0; call < 10; call += 1) scene.send('upstream_error', call)
  scene.judge(1_000)
  return [...scene.open.values()]
}

it.each([
  ['first-token', { firstMs: 5_000, totalMs: 9_000 }],
  ['total', { firstMs: 10, totalMs: 5_000 }],
] as const)('the rule compares the percentile of %s', (of, slow) => {
  const rule = ruleOf({
    kind: 'latency',
    of,
    by: 'model',
    percentile: 90,
    above: '2s',
    window: '1m',
    min_requests: 10,
  })
  const scene = openWatch(rule)
  for (let call = 0; call < 95; call += 1) scene.send('answered', call, { firstMs: 100, totalMs: 200 })
  for (let call = 0; call < 5; call += 1) scene.send('answered', call, slow)
  scene.judge(1_000)
  expect(scene.events).toEqual([])
  for (let call = 0; call < 10; call += 1) scene.send('answered', call, slow)
  scene.judge(1_000)
  expect(scene.events).toEqual(['open fast'])
  const [alert] = scene.open.values()
  expect(alert?.details['value']).toBeGreaterThan(4_500)
  expect(alert?.details['value']).toBeLessThan(5_600)
})

it('channel and model filters exclude other requests', () => {
  const others = openWatch(ruleOf({ ...errorRate, channels: ['azure-*'] }))
  const models = openWatch(ruleOf({ ...errorRate, models: ['fa*t'] }))
  for (let call = 0; call < 20; call += 1)
    for (const scene of [others, models]) scene.send('upstream_error', call)
  for (const scene of [others, models]) scene.judge(1_000)
  expect([others.events, models.events]).toEqual([[], ['open primary']])
})
