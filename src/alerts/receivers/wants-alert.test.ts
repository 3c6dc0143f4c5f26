import { expect, it } from 'vitest'
import type { Alert, AlertEvent } from '../alert.ts'
import { createTestEvent } from '../create-test-event.ts'
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
