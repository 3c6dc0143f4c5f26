import { expect, it } from 'vitest'
import { openTerms } from '../../../test/support/key-terms.ts'
import { describeTerms } from '../../access/describe-terms.ts'
import { expiryCondition } from '../../alerts/conditions/expiry-conditions.ts'
import { trafficCondition } from '../../alerts/conditions/traffic-condition.ts'
import { describeChanges } from '../../config/layers/describe-changes.ts'
import { describeDisk } from '../../telemetry/disk-guard.ts'
import { describeHealth } from '../../telemetry/observed-health-change.ts'
import { readFact } from './audit-fact.ts'

it('each term of a key becomes its own fact', () => {
  const described = describeTerms({
    ...openTerms,
    user: 'ann',
    group: 'search',
    expiresAtMs: 0,
    dryRun: true,
    callerTags: true,
    disabled: true,
    tags: { team: 'a: b' },
    passthrough: ['openai'],
  })
  const facts = described.map(readFact)
  expect(facts.filter(({ kind }) => kind === 'text')).toEqual([])
  expect(facts).toContainEqual({ kind: 'name', gone: false, values: { value: 'ci' } })
  expect(facts).toContainEqual({ kind: 'tag', gone: false, values: { name: 'team', value: 'a: b' } })
  expect(facts).toContainEqual({
    kind: 'expires_at',
    gone: false,
    values: { at: '1970-01-01T00:00:00.000Z' },
  })
})

it('each configuration change becomes its own fact', () => {
  const channel = { name: 'a', provider: 'openai', weight: 1 }
  const before = { channels: [channel], retry: { attempts: 3 } }
  const after = {
    channels: [
      { ...channel, weight: 2 },
      { ...channel, name: 'b' },
    ],
    retry: { attempts: 5 },
  }
  expect(describeChanges(before, after).map(readFact)).toEqual([
    {
      kind: 'object_changed',
      gone: false,
      values: { object: 'channel', name: 'a', field: 'weight', before: '1', after: '2' },
    },
    {
      kind: 'setting_changed',
      gone: false,
      values: { name: 'retry', field: 'attempts', before: '3', after: '5' },
    },
    { kind: 'object_added', gone: false, values: { object: 'channel', name: 'b' } },
  ])
})

it('a value of a change may hold the words between the values, and one that was not there is left out', () => {
  const change = (from: object, to: object) =>
    describeChanges({ retry: { ...from } }, { retry: { ...to } }).map(readFact)[0]?.values
  expect(change({ note: 'a' }, { note: 'go to b' })).toMatchObject({ before: '"a"', after: '"go to b"' })
  expect(change({ note: 'go to "a"' }, { note: 'b' })).toMatchObject({
    before: JSON.stringify('go to "a"'),
    after: '"b"',
  })
  const long = `${'x'.repeat(110)} to ${'y'.repeat(20)}`
  expect(change({ note: long }, { note: 'b' })).toMatchObject({
    before: expect.stringMatching(/…$/),
    after: '"b"',
  })
  expect(change({}, { note: 1 })).toEqual({ name: 'retry', field: 'note', after: '1' })
  expect(change({ note: 1 }, {})).toEqual({ name: 'retry', field: 'note', before: '1' })
})

it('the removal of a term from a key becomes a fact', () => {
  expect(readFact('no longer group: search')).toEqual({
    kind: 'group',
    gone: true,
    values: { value: 'search' },
  })
})

it.each([
  ['keys changed', 'keys_changed', {}],
  ['setting ledger changed', 'setting_edited', { name: 'ledger' }],
  ['the certificate or its key changed', 'certificate_changed', {}],
  ['nothing changed', 'nothing_changed', {}],
  ['comment: undoes version 3', 'undone_version', { version: '3' }],
])('the detail %j of a change is a fact', (detail, kind, values) => {
  expect(readFact(detail)).toEqual({ kind, gone: false, values })
})

it.each([
  ['it answered "access_denied"', 'provider_answered', { error: 'access_denied' }],
  ['it answered with status 401', 'provider_status', { status: '401' }],
])('the answer %j of an identity provider becomes a fact', (detail, kind, values) => {
  expect(readFact(detail)).toEqual({ kind, gone: false, values })
})

const rule = {
  name: 'rule',
  severity: undefined,
  repeatMs: undefined,
  channels: undefined,
  models: undefined,
  by: 'channel',
  windowMs: 300_000,
  minRequests: 20,
} as const
const traffic = { name: 'primary', value: 12.5, count: 40, failures: 5 }
const health = {
  channel: 'primary',
  scope: 'model',
  credentialId: undefined,
  upstreamModel: 'gpt-4o',
  to: 'open',
  reason: 'failing',
  waitMs: 5_000,
  needsOperator: false,
} as const
const expiring = { id: 'key_1', name: 'ci', expiresAtMs: 86_400_000 }

it.each([
  [
    trafficCondition({ ...rule, kind: 'error-rate', above: 10, below: 8 }, traffic).message,
    'alert_error_rate',
    { subject: 'channel primary', share: '12.5', failures: '5' },
  ],
  [
    trafficCondition(
      { ...rule, kind: 'latency', of: 'first-token', percentile: 95, aboveMs: 10, belowMs: 8 },
      traffic,
    ).message,
    'alert_first_token',
    { percentile: '95', ms: '13', threshold: '10' },
  ],
  [
    trafficCondition(
      { ...rule, by: 'installation', kind: 'latency', of: 'total', percentile: 95, aboveMs: 10, belowMs: 8 },
      traffic,
    ).message,
    'alert_whole_answer',
    { subject: 'all requests' },
  ],
  [describeHealth(health), 'alert_out', { target: 'primary, model gpt-4o', reason: 'failing' }],
  [
    'channel primary is down: nothing of it is in rotation (failing)',
    'alert_channel_down',
    { channel: 'primary', reason: 'failing' },
  ],
  [
    expiryCondition({ ...rule, kind: 'key-expiry', beforeMs: 172_800_000 }, expiring, 0)?.message,
    'alert_key_expiry',
    { name: 'ci', at: '1970-01-02T00:00:00.000Z' },
  ],
  [
    expiryCondition({ ...rule, kind: 'certificate-expiry', beforeMs: 172_800_000 }, expiring, 90_000_000)
      ?.message,
    'alert_certificate_expiry',
    { name: 'ci' },
  ],
  [
    'the model gpt is used without a price (a/gpt, b/gpt): what it costs is not counted',
    'alert_unpriced',
    { model: 'gpt', targets: 'a/gpt, b/gpt' },
  ],
  ['the budget "search" of "a" has spent 80 % of its limit', 'alert_budget', { budget: '"search" of "a"' }],
  ['the budget "search" is spent', 'alert_budget_spent', { budget: '"search"' }],
  [
    describeDisk({ level: 'low', space: { freeBytes: 5_242_880, totalBytes: 10_485_760 } }),
    'alert_disk',
    { free: '5', total: '10' },
  ],
])('the alert message %j becomes a fact', (message, kind, values) => {
  expect(readFact(message ?? '')).toMatchObject({ kind, values })
})

it('a sentence that matches no pattern stays text', () => {
  const text = 'no longer known to anyone'
  expect(readFact(text)).toEqual({ kind: 'text', gone: false, values: { text } })
})

it.each([
  ['ECONNREFUSED: connect ECONNREFUSED 10.0.0.1:443', 'provider_no_answer', { error: 'ECONNREFUSED' }],
  [
    'SELF_SIGNED_CERT_IN_CHAIN: self-signed certificate',
    'provider_no_answer',
    { error: 'SELF_SIGNED_CERT_IN_CHAIN' },
  ],
  ['localhost is not a public address', 'provider_private', {}],
  ['idp.example resolves to no public address', 'provider_private', {}],
  ['operation timed out', 'provider_late', {}],
  ['discovered metadata issuer does not match the expected issuer', 'provider_issuer', {}],
  ['JWT "exp" (expiration time) claim missing', 'provider_claim_missing', { claim: 'exp' }],
  ['unexpected JWT "aud" (audience) claim value', 'provider_claim', { claim: 'aud' }],
  ['unexpected ID Token "nonce" claim value', 'provider_claim', { claim: 'nonce' }],
  ['JWT signature verification failed', 'provider_signature', {}],
  ['failed to parse "response" body as JSON', 'provider_unreadable', {}],
])('the error of an identity provider becomes a fact: %s', (sentence, kind, values) => {
  expect(readFact(sentence)).toEqual({ kind, gone: false, values })
})
