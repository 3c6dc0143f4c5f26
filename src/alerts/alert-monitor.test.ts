import { expect, it } from 'vitest'
import { ampleDisk, calmSources, lowDisk } from '../../test/support/alert-sources.ts'
import { nano } from '../../test/support/ledger-row.ts'
import { readBudget } from '../access/limits/budget-schema.ts'
import { brand } from '../kit/brand.ts'
import { DAY_MS } from '../kit/time/time-units.ts'
import type { Budget, BudgetId } from '../metering/budget.ts'
import type { AlertEvent } from './alert.ts'
import { AlertMonitor } from './alert-monitor.ts'
import { type AlertPolicy, alertSchema, defaultAlertPolicy } from './alert-schema.ts'

function open(policy: AlertPolicy = defaultAlertPolicy, nowMs = () => 0) {
  const events: AlertEvent[] = []
  const faults: unknown[] = []
  const monitor = new AlertMonitor({
    policy,
    createId: () => 'alr_1',
    nowMs,
    redact: (text) => text,
    onEvent: (event) => events.push(event),
    onChange: () => undefined,
    onOverflow: () => undefined,
    reportFault: (_source, error) => faults.push(error),
  })
  return {
    monitor,
    events,
    faults,
    types: () => events.map(({ type, alert: { kind } }) => `${type} ${kind}`),
  }
}

it('an alert on a full disk ends after a restart at which there is room again', () => {
  const before = open()
  before.monitor.diskChanged(lowDisk)
  const after = open()
  after.monitor.load(before.monitor.open)
  after.monitor.judge(calmSources)
  expect(after.types()).toEqual([])
  after.monitor.judge({ ...calmSources, disk: () => ampleDisk })
  expect(after.types()).toEqual(['resolved disk'])
  expect(after.monitor.open).toEqual([])
})

it('a disk that was full before this process decided about alerts opens one alert', () => {
  const { monitor, types } = open()
  for (let check = 0; check < 3; check += 1) monitor.judge({ ...calmSources, disk: () => lowDisk })
  expect(types()).toEqual(['opened disk'])
})

it('an old certificate of a file does not hide that another one of the file expires', () => {
  const { monitor, types } = open()
  const judge = (daysLeft: readonly number[]) => {
    const certificates = daysLeft.map((days) => ({ id: 'tls', name: 'tls', expiresAtMs: days * DAY_MS }))
    monitor.judge({ ...calmSources, certificates: () => certificates })
  }
  judge([-400, 2, 900])
  expect(types()).toEqual(['opened certificate-expiry'])
  expect(monitor.open[0]?.message).toBe(
    'the certificate of tls expires at 1970-01-03T00:00:00.000Z, in 2 days',
  )
  judge([-400, 900])
  expect(types()).toEqual(['opened certificate-expiry', 'resolved certificate-expiry'])
})

it('a file with an expired certificate and one that expires soon opens one alert', () => {
  const { monitor, types } = open()
  const certificates = () =>
    [2, -1, 3].map((days) => ({ id: 'tls', name: 'tls', expiresAtMs: days * DAY_MS }))
  for (let check = 0; check < 3; check += 1) monitor.judge({ ...calmSources, certificates })
  expect(types()).toEqual(['opened certificate-expiry'])
  expect(monitor.open[0]?.severity).toBe('critical')
})

it('a budget that fell below its limit has the severity of its rule, like one that reached it', () => {
  const { monitor } = open(alertSchema.parse({ rules: [{ kind: 'budget', severity: 'critical' }] }))
  const limit = nano(1_000_000_000)
  const budget: Budget = {
    ...readBudget({ window: 'total', limit_usd: limit, warn_at: [50, 100] }, undefined),
    id: brand<BudgetId>('all'),
    name: 'all',
    scope: { type: 'installation' },
  }
  const state = { budget, tagValue: undefined, limit, windowStartMs: 0, resetsAtMs: undefined }
  monitor.budgetReached({ ...state, percent: 100, spent: limit })
  monitor.judge({ ...calmSources, budgetOf: () => ({ ...state, spent: nano(600_000_000) }) })
  expect(monitor.open).toMatchObject([{ level: 50, severity: 'critical' }])
})

it('of two rules for a channel, the slow one reports only what lasts as long as it says', () => {
  let nowMs = 0
  const rules = [
    { name: 'fast', kind: 'channel-down', for: '30s', severity: 'warning' },
    { name: 'slow', kind: 'channel-down', for: '10m', severity: 'critical' },
  ]
  const { monitor, types } = open(alertSchema.parse({ rules }), () => nowMs)
  const judgeAt = (seconds: number, downReason: string | undefined) => {
    nowMs = seconds * 1_000
    monitor.judge({ ...calmSources, channels: () => [{ channel: 'a', downReason }] })
  }
  for (let seconds = 0; seconds < 600; seconds += 10) judgeAt(seconds, 'unreachable')
  expect(monitor.open).toMatchObject([{ rule: 'fast', severity: 'warning' }])
  for (let seconds = 600; seconds < 700; seconds += 10) judgeAt(seconds, 'unreachable')
  expect(monitor.open).toMatchObject([{ rule: 'slow', severity: 'critical' }])
  for (let seconds = 700; seconds < 1_400; seconds += 10) judgeAt(seconds, undefined)
  expect(types()).toEqual(['opened channel-down', 'changed channel-down', 'resolved channel-down'])
})

it('an alert on a key that one rule ends while another still holds stays open', () => {
  const rules = [
    { name: 'month', kind: 'key-expiry', before: '30d' },
    { name: 'week', kind: 'key-expiry', before: '7d', severity: 'critical' },
  ]
  const { monitor, types } = open(alertSchema.parse({ rules }))
  const judge = (days: number) =>
    monitor.judge({ ...calmSources, keys: () => [{ id: 'k', name: 'k', expiresAtMs: days * DAY_MS }] })
  for (const days of [20, 20, 5, 5, 20, 20]) judge(days)
  expect(monitor.open).toMatchObject([{ rule: 'month', severity: 'warning' }])
  expect(types().filter((type) => type.startsWith('resolved'))).toEqual([])
})

it('a reset of the health of one channel leaves the alerts of all others open', () => {
  const { monitor } = open()
  const opened = { credentialId: undefined, upstreamModel: undefined, waitMs: 1_000, needsOperator: true }
  for (const channel of ['one', 'other'])
    monitor.healthChanged({ ...opened, channel, scope: 'channel', to: 'open', reason: 'insecure' })
  monitor.diskChanged(lowDisk)
  expect(monitor.open.length).toBe(3)
  monitor.endHealth('reset', ({ channel }) => channel === 'one')
  expect(monitor.open.map(({ kind, details }) => [kind, details['channel']])).toEqual([
    ['channel-down', 'other'],
    ['disk', undefined],
  ])
})

it('a probe of a channel that needs an operator is reported, and leaves its alert unchanged', () => {
  const { monitor, types } = open()
  const change = { channel: 'one', scope: 'channel', credentialId: undefined, upstreamModel: undefined }
  const insecure = { ...change, reason: 'insecure', waitMs: 1_000, needsOperator: true }
  monitor.healthChanged({ ...insecure, to: 'open' })
  const before = monitor.open
  expect(monitor.healthChanged({ ...insecure, to: 'half-open' })).toBe(true)
  expect(
    monitor.healthChanged({ ...insecure, reason: 'failing', needsOperator: false, to: 'half-open' }),
  ).toBe(false)
  expect([monitor.open, types()]).toEqual([before, ['opened channel-down']])
})

it('the alert on a key ends for a reason that its last message states', () => {
  const [endOfOld, endOfExtended, endOfRevoked] = [-90 * DAY_MS, 900 * DAY_MS, undefined].map((laterMs) => {
    const { monitor, events } = open()
    const judge = (expiresAtMs: number | undefined) => {
      const keys = expiresAtMs === undefined ? [] : [{ id: 'k', name: 'ci', expiresAtMs }]
      monitor.judge({ ...calmSources, keys: () => keys })
    }
    judge(DAY_MS)
    judge(laterMs)
    const { resolved } = events.at(-1)?.alert ?? {}
    return [resolved?.as, resolved?.message]
  })
  expect(endOfOld).toEqual([
    'expired',
    'the key ci expired at 1969-10-03T00:00:00.000Z, and is no longer reported',
  ])
  expect(endOfExtended).toEqual(['recovered', 'the key ci is good until 1972-06-19T00:00:00.000Z'])
  expect(endOfRevoked).toEqual(['changed', 'the key ci is gone or no longer used'])
})

it('a check that fails is reported, and does not prevent the other checks', () => {
  const { monitor, faults, types } = open()
  const fault = new Error('the keys cannot be read')
  const keys = () => {
    throw fault
  }
  monitor.judge({ ...calmSources, keys, disk: () => lowDisk })
  expect(types()).toEqual(['opened disk'])
  expect(faults.every((each) => each === fault)).toBe(true)
  expect(faults.length).toBeGreaterThan(0)
})
