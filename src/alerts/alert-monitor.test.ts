import { expect, it } from 'vitest'
import { nano } from '../../test/support/ledger-row.ts'
import { readBudget } from '../access/limits/budget-schema.ts'
import { brand } from '../kit/brand.ts'
import { DAY_MS } from '../kit/time/time-units.ts'
import type { Budget, BudgetId } from '../metering/budget.ts'
import type { AlertEvent } from './alert.ts'
import { AlertMonitor } from './alert-monitor.ts'
import { type AlertPolicy, alertSchema, defaultAlertPolicy } from './alert-schema.ts'
import type { AlertSources } from './judge-state.ts'

const calm: AlertSources = {
  channels: () => [],
  inRotation: () => new Set(),
  outOfRotation: () => [],
  keys: () => [],
  certificates: () => [],
  unpriced: () => [],
  budgetOf: () => 'gone',
  disk: () => undefined,
}
const ample = { level: 'ample', space: { freeBytes: 2e9, totalBytes: 1e11 } } as const
const low = { level: 'low', space: { freeBytes: 5e8, totalBytes: 1e11 } } as const

function open(policy: AlertPolicy = defaultAlertPolicy) {
  const events: AlertEvent[] = []
  const monitor = new AlertMonitor({
    policy,
    createId: () => 'alr_1',
    nowMs: () => 0,
    redact: (text) => text,
    onEvent: (event) => events.push(event),
    onChange: () => undefined,
    onOverflow: () => undefined,
  })
  return { monitor, types: () => events.map(({ type, alert: { kind } }) => `${type} ${kind}`) }
}

it('an alert on a full disk ends after a restart at which there is room again', () => {
  const before = open()
  before.monitor.diskChanged(low)
  const after = open()
  after.monitor.load(before.monitor.open)
  after.monitor.judge(calm)
  expect(after.types()).toEqual([])
  after.monitor.judge({ ...calm, disk: () => ample })
  expect(after.types()).toEqual(['resolved disk'])
  expect(after.monitor.open).toEqual([])
})

it('a disk that was full before this process decided about alerts opens one alert', () => {
  const { monitor, types } = open()
  for (let check = 0; check < 3; check += 1) monitor.judge({ ...calm, disk: () => low })
  expect(types()).toEqual(['opened disk'])
})

it('an old certificate of a file does not hide that another one of the file expires', () => {
  const { monitor, types } = open()
  const judge = (daysLeft: readonly number[]) => {
    const certificates = daysLeft.map((days) => ({ id: 'tls', name: 'tls', expiresAtMs: days * DAY_MS }))
    monitor.judge({ ...calm, certificates: () => certificates })
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
  for (let check = 0; check < 3; check += 1) monitor.judge({ ...calm, certificates })
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
  monitor.judge({ ...calm, budgetOf: () => ({ ...state, spent: nano(600_000_000) }) })
  expect(monitor.open).toMatchObject([{ level: 50, severity: 'critical' }])
})
