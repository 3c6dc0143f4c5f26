import { expect, it } from 'vitest'
import type { ObservedHealthChange } from '../telemetry/observed-health-change.ts'
import { writeHealthAlert } from './write-alert.ts'

const change: ObservedHealthChange = {
  channel: 'a',
  scope: 'model',
  credentialId: 'a#1',
  upstreamModel: 'm',
  to: 'open',
  reason: 'model-missing',
  waitMs: 60_000,
  needsOperator: true,
}

const atMs = Date.parse('2026-11-20T12:01:00Z')
const sinceMs = Date.parse('2026-11-20T12:00:00Z')

it('an alert says what is wrong, where, since when and what to do', () => {
  const { line, body } = writeHealthAlert(change, { status: 'impaired', sinceMs }, atMs)
  expect(line).toBe(
    'channel a, credential a#1, model m: out of rotation for 60 s (model-missing). The provider has no such model for this key: correct its name in the configuration, or have it enabled at the provider. "headgate health --reset a" then puts it back into rotation at once.',
  )
  expect(JSON.parse(body)).toMatchObject({
    type: 'health.impaired',
    at: '2026-11-20T12:01:00.000Z',
    since: '2026-11-20T12:00:00.000Z',
    channel: 'a',
    scope: 'model',
    credential: 'a#1',
    upstream_model: 'm',
    reason: 'model-missing',
    text: `Headgate: ${line}`,
  })
})

it.each(['refused', 'out-of-credit', 'insecure'])('%s has advice of its own', (reason) => {
  const { line } = writeHealthAlert({ ...change, reason }, { status: 'impaired', sinceMs }, atMs)
  expect(line).not.toContain('See GET')
  expect(line).toContain('"headgate health --reset a"')
})

it('its end is told without advice, and without a beginning where none is known', () => {
  const { line, body } = writeHealthAlert(
    { ...change, to: 'healthy' },
    { status: 'recovered', sinceMs: undefined },
    atMs,
  )
  expect(line).toBe('channel a, credential a#1, model m: back in rotation (was model-missing)')
  expect(JSON.parse(body)).toMatchObject({ type: 'health.recovered', since: null, advice: null })
})
