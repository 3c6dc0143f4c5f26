import { expect, it } from 'vitest'
import { alertKinds } from './alert.ts'
import { defaultAlertRules } from './alert-rule-schema.ts'
import { alertSchema } from './alert-schema.ts'

const slack = { name: 'chat', type: 'slack', url: 'https://hooks.slack.com/services/T0/B0/x' }

it('an address alone makes a receiver of all alerts', () => {
  expect(alertSchema.parse({ webhook: 'https://hooks.example.com/x?token=1' })).toEqual({
    receivers: [
      {
        name: 'webhook',
        type: 'webhook',
        url: 'https://hooks.example.com/x?token=1',
        headers: {},
        allowPrivate: false,
        minSeverity: 'info',
        getsResolved: true,
        secret: undefined,
        routingKey: undefined,
        kinds: undefined,
        channels: undefined,
      },
    ],
    rules: defaultAlertRules,
    repeatMs: 3_600_000,
  })
})

it('header names become lower case, and durations become milliseconds', () => {
  const policy = alertSchema.parse({ webhook: 'https://h.example', headers: { 'X-Key': 'v' }, repeat: '5m' })
  expect(policy).toMatchObject({ receivers: [{ headers: { 'x-key': 'v' } }], repeatMs: 300_000 })
})

it('a rule replaces only the default of its kind, and off removes the default', () => {
  const { rules } = alertSchema.parse({
    rules: [
      { kind: 'error-rate', above: 20, by: 'model', models: ['gpt-*'] },
      { kind: 'latency', above: '5s' },
      { kind: 'disk', off: true },
    ],
  })
  expect(rules.map(({ kind }) => kind).toSorted()).toEqual(
    alertKinds.filter((kind) => kind !== 'disk').toSorted(),
  )
  expect(rules.find(({ kind }) => kind === 'error-rate')).toMatchObject({
    name: 'error-rate',
    by: 'model',
    above: 20,
    below: 16,
    windowMs: 300_000,
    minRequests: 20,
  })
  expect(rules.find(({ kind }) => kind === 'latency')).toMatchObject({
    of: 'first-token',
    percentile: 95,
    aboveMs: 5_000,
    belowMs: 4_000,
  })
})

it.each([
  ['a header without an address', { headers: { a: 'b' } }],
  ['two receivers of one name', { receivers: [slack, slack] }],
  [
    'a second receiver named webhook',
    { webhook: 'https://h.example', receivers: [{ ...slack, name: 'webhook' }] },
  ],
  ['a receiver of no known type', { receivers: [{ ...slack, type: 'fax' }] }],
  ['a routing key that is none', { receivers: [{ name: 'p', type: 'pagerduty', routing_key: 'short' }] }],
  [
    'a secret where no POST is signed',
    { receivers: [{ ...slack, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }] },
  ],
  ['an unknown kind', { receivers: [{ ...slack, kinds: ['weather'] }] }],
  ['two rules of one name', { rules: [{ kind: 'disk' }, { kind: 'budget', name: 'disk' }] }],
  ['a latency without a threshold', { rules: [{ kind: 'latency' }] }],
  ['a percentage of 100', { rules: [{ kind: 'error-rate', above: 100 }] }],
  ['an end above the beginning', { rules: [{ kind: 'error-rate', above: 10, below: 20 }] }],
  ['an address of another kind', { webhook: 'ftp://h.example' }],
  ['a password in the address', { webhook: 'https://user:word@h.example' }],
  ['a fragment', { webhook: 'https://h.example/#x' }],
  ['a header of the connection', { webhook: 'https://h.example', headers: { 'Content-Length': '1' } }],
  ['a header on two lines', { webhook: 'https://h.example', headers: { a: 'b\r\nc: d' } }],
  ['a header of the signature', { webhook: 'https://h.example', headers: { 'Webhook-Id': '1' } }],
  ['a secret that is no base64', { webhook: 'https://h.example', secret: 'whsec_not base64' }],
  ['a secret that is too short', { webhook: 'https://h.example', secret: 'whsec_c2hvcnQ=' }],
  ['too short a repeat', { webhook: 'https://h.example', repeat: '1s' }],
  ['an unknown name', { webhook: 'https://h.example', retries: 3 }],
])('%s is refused', (_what, input) => {
  expect(alertSchema.safeParse(input).success).toBe(false)
})
