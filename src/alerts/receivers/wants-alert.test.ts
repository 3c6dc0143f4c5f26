import { expect, it } from 'vitest'
import type { Alert, AlertEvent } from '../alert.ts'
import { createTestEvent } from '../create-test-event.ts'
import { OpenAlerts } from '../open-alerts.ts'
import type { AlertReceiver } from './receiver-schema.ts'
import { wantsAlert, wantsEvent } from './wants-alert.ts'

const receiver: AlertReceiver = {
  name: 'ops',
  type: 'webhook',
  url: 'https://ops.example.com/alerts',
  headers: {},
  secret: undefined,
  routingKey: undefined,
  allowPrivate: false,
  kinds: undefined,
  minSeverity: 'info',
  channels: undefined,
  getsResolved: true,
}
const alert: Pick<Alert, 'kind' | 'severity' | 'subject'> = {
  kind: 'channel-down',
  severity: 'warning',
  subject: { channel: 'openai-eu' },
}

const wants = (more: Partial<AlertReceiver>, other: Partial<typeof alert> = {}) =>
  wantsAlert({ ...receiver, ...more }, { ...alert, ...other })

it('gets all alerts without filters', () => {
  expect(wants({})).toBe(true)
})

it('gets only the kinds in its filter', () => {
  expect(wants({ kinds: ['budget', 'channel-down'] })).toBe(true)
  expect(wants({ kinds: ['budget'] })).toBe(false)
})

it('gets its minimum severity and above', () => {
  expect(wants({ minSeverity: 'warning' })).toBe(true)
  expect(wants({ minSeverity: 'critical' })).toBe(false)
  expect(wants({ minSeverity: 'warning' }, { severity: 'critical' })).toBe(true)
})

it('gets alerts about its channels and alerts about no channel', () => {
  expect(wants({ channels: ['openai-*'] })).toBe(true)
  expect(wants({ channels: ['anthropic'] })).toBe(false)
  expect(wants({ channels: ['anthropic'] }, { kind: 'disk', subject: {} })).toBe(true)
})

it('gets resolved alerts only if it is set to receive them', () => {
  const opened = createTestEvent(0)
  const resolved: AlertEvent = { ...opened, type: 'resolved' }
  const without = { ...receiver, getsResolved: false }
  expect([wantsEvent(without, opened), wantsEvent(without, resolved)]).toEqual([true, false])
  expect(wantsEvent(receiver, resolved)).toBe(true)
})

it('a receiver of critical alerts hears that a budget fell below its limit, and that the alert ended', () => {
  const alerts = new OpenAlerts(() => 'alr_1')
  const budget = { ...createTestEvent(0).alert, kind: 'budget', severity: 'critical', level: 100 } as const
  const events = [
    alerts.raise(budget, 0),
    alerts.raise({ ...budget, severity: 'warning', level: 80 }, 1),
    alerts.raise({ ...budget, severity: 'info', level: 50 }, 2),
    alerts.resolve(budget.identity, { as: 'recovered', message: '' }, 3),
  ].filter((event) => event !== undefined)
  const onCall = { ...receiver, minSeverity: 'critical' } as const
  expect(
    events.filter((event) => wantsEvent(onCall, event)).map(({ type, alert: { level } }) => [type, level]),
  ).toEqual([
    ['opened', 100],
    ['changed', 80],
    ['resolved', 50],
  ])
})

it('a receiver of critical alerts hears nothing of an alert that never was critical', () => {
  const alerts = new OpenAlerts(() => 'alr_1')
  const { alert: budget } = createTestEvent(0)
  const events = [
    alerts.raise({ ...budget, severity: 'info' }, 0),
    alerts.raise({ ...budget, severity: 'warning', level: 2 }, 1),
    alerts.resolve(budget.identity, { as: 'recovered', message: '' }, 2),
  ].filter((event) => event !== undefined)
  expect(events.filter((event) => wantsEvent({ ...receiver, minSeverity: 'critical' }, event))).toEqual([])
})
