import { expect, it } from 'vitest'
import { nodeEventSchemas } from './node-event-schema.ts'
import type { BusTopic } from './process-bus.ts'

const reads = (topic: BusTopic, value: unknown) => nodeEventSchemas[topic].safeParse(value)

const budgetReached = { budget: { id: 'b', name: 'team' }, percent: 80, windowStartMs: 0 }

it('keeps fields that a newer node adds', () => {
  const newer = { ...budgetReached, budget: { ...budgetReached.budget, owner: 'anna' }, since: 1 }
  expect(reads('budget-reached', newer).data).toEqual(newer)
})

it.each<[BusTopic, unknown]>([
  ['budget-reached', { ...budgetReached, percent: '80' }],
  ['reset-health', { channel: 'a' }],
  ['requests-ended', [{ endedAtMs: 1 }]],
  ['alert-changed', {}],
  ['keys-used', [['key_1', '1000']]],
  ['health', { change: { channel: 'a' } }],
  ['reasoning', { key: { keyId: 'k', callId: 'c', fingerprint: 1 } }],
])('refuses a value of %s that does not match its schema', (topic, value) => {
  expect(reads(topic, value).success).toBe(false)
})

it('refuses a health state that this version does not know', () => {
  const change = {
    channel: 'a',
    scope: 'channel',
    to: 'open',
    reason: 'overloaded',
    waitMs: 1_000,
    needsOperator: false,
  }
  const issuesOf = (to: string) =>
    reads('health', { change: { ...change, to }, snapshot: undefined })
      .error?.issues.map(({ path }) => path.join('.'))
      .filter((path) => path.startsWith('change'))
  expect(issuesOf('open')).toEqual([])
  expect(issuesOf('asleep')).toEqual(['change.to'])
})
