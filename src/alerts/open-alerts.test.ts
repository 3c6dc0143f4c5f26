import { expect, it } from 'vitest'
import type { Condition } from './alert.ts'
import { MAX_OPEN_ALERTS, OpenAlerts } from './open-alerts.ts'

const HOUR_MS = 3_600_000
const wrong: Condition = {
  identity: 'disk',
  kind: 'disk',
  rule: 'disk',
  severity: 'critical',
  level: 1,
  subject: {},
  message: 'the disk fills up',
  advice: undefined,
  details: {},
}

function open() {
  let count = 0
  return new OpenAlerts(() => {
    count += 1
    return `alr_${count}`
  })
}

const hourly = () => HOUR_MS

it('an alert is reported once, and repeated while its condition lasts', () => {
  const alerts = open()
  expect(alerts.raise(wrong, 0)?.type).toBe('opened')
  expect(alerts.raise(wrong, 1)).toBeUndefined()
  expect(alerts.repeat(HOUR_MS - 1, hourly)).toEqual([])
  expect(alerts.repeat(HOUR_MS, hourly).map(({ type }) => type)).toEqual(['repeated'])
  expect(alerts.repeat(HOUR_MS + 1, hourly)).toEqual([])
  expect(alerts.repeat(9 * HOUR_MS, () => undefined)).toEqual([])
})

it('a new level is reported at once and removes the acknowledgement', () => {
  const alerts = open()
  alerts.raise(wrong, 0)
  alerts.acknowledge('alr_1', { by: 'anna', atMs: 1, comment: undefined })
  expect(alerts.repeat(HOUR_MS, hourly)).toEqual([])
  const event = alerts.raise({ ...wrong, level: 2 }, 2)
  expect(event).toMatchObject({ type: 'changed', alert: { id: 'alr_1', acknowledged: undefined } })
  expect(alerts.repeat(HOUR_MS + 2, hourly)).toHaveLength(1)
})

it('the end of an alert is reported once, and a recurrence opens a new alert', () => {
  const alerts = open()
  alerts.raise(wrong, 0)
  const end = { as: 'recovered', message: 'there is room again' } as const
  expect(alerts.resolve('disk', end, 5)).toMatchObject({
    type: 'resolved',
    alert: { id: 'alr_1', openedAtMs: 0, resolved: { ...end, atMs: 5 } },
  })
  expect(alerts.resolve('disk', end, 6)).toBeUndefined()
  expect(alerts.raise(wrong, 7)).toMatchObject({ type: 'opened', alert: { id: 'alr_2', openedAtMs: 7 } })
})

it('a mute belongs to the problem: the next alert for it stays muted until the mute expires', () => {
  const alerts = open()
  alerts.raise(wrong, 0)
  alerts.mute('alr_1', { by: 'anna', atMs: 1, untilMs: 100 })
  expect(alerts.repeat(HOUR_MS, hourly).length).toBe(1)
  alerts.resolve('disk', { as: 'recovered', message: '' }, 5)
  expect(alerts.raise(wrong, 10)?.alert.mute?.untilMs).toBe(100)
  alerts.resolve('disk', { as: 'recovered', message: '' }, 20)
  expect(alerts.raise(wrong, 100)?.alert.mute).toBeUndefined()
})

it('open alerts and mutes survive a restart', () => {
  const before = open()
  before.raise(wrong, 0)
  before.mute('alr_1', { by: 'anna', atMs: 1, untilMs: 100 })
  const after = open()
  after.load(before.all)
  expect(after.raise(wrong, 2)).toBeUndefined()
  const ended = after.resolve('disk', { as: 'recovered', message: '' }, 3)
  expect(ended?.alert.id).toBe('alr_1')
  const later = open()
  later.load(ended === undefined ? [] : [ended.alert])
  expect(later.all).toEqual([])
  expect(later.raise(wrong, 50)?.alert.mute?.untilMs).toBe(100)
})

it('the number of open alerts is bounded', () => {
  const alerts = open()
  for (let count = 0; count < MAX_OPEN_ALERTS; count += 1) alerts.raise({ ...wrong, identity: `${count}` }, 0)
  expect(alerts.isFull).toBe(true)
  expect(alerts.raise({ ...wrong, identity: 'one more' }, 0)).toBeUndefined()
  expect(alerts.all).toHaveLength(MAX_OPEN_ALERTS)
})

it('nothing stays open or muted after alerts are cleared', () => {
  const alerts = open()
  alerts.raise(wrong, 0)
  alerts.mute('alr_1', { by: 'anna', atMs: 1, untilMs: 100 })
  alerts.clear()
  expect(alerts.all).toEqual([])
  expect(alerts.raise(wrong, 2)).toMatchObject({ type: 'opened', alert: { mute: undefined } })
})
