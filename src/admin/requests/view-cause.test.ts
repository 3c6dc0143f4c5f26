import { expect, it } from 'vitest'
import { createFailure } from '../../canonical/failure.ts'
import { describeMissingModel, writeOwnCause } from '../../catalog/missing-model.ts'
import { viewCause } from './view-cause.ts'

const unknown = describeMissingModel('gpt "5"', true)

it.each([
  [unknown, { code: 'model_unknown', model: 'gpt "5"' }],
  [describeMissingModel('gpt-5', false), { code: 'model_denied', model: 'gpt-5' }],
  [describeMissingModel(undefined, false), { code: 'model_denied', model: null }],
  [writeOwnCause(unknown), { code: 'model_not_usable', model: 'gpt "5"' }],
  [
    'the limit of requests at one time of this gateway is reached',
    { code: 'rate_reached', rate: 'concurrency', limit: null },
  ],
  [
    'the limit of input tokens a minute of group:a of b is reached',
    { code: 'rate_reached', rate: 'input_tokens_per_minute', limit: 'group:a of b' },
  ],
  ['the budget "all" is spent', { code: 'budget_spent', budget: 'all', value: null }],
  [
    'the budget "per team" of "a \\"b\\"" does not hold the most that the request can cost',
    { code: 'budget_too_small', budget: 'per team', value: 'a "b"' },
  ],
  ['the credit of this API key is spent', { code: 'credit_spent', owner: 'key', name: null }],
  [
    'the credit of the user "mia" does not hold the most that the request can cost',
    { code: 'credit_too_small', owner: 'user', name: 'mia' },
  ],
  ['the content type is "text/html"', { code: 'content_type', type: 'text/html' }],
  ['the disk is nearly full', { code: 'disk_nearly_full' }],
  [
    'the provider closed the connection with 1011 going away',
    { code: 'closed_by_provider', status: 1011, reason: 'going away' },
  ],
  [createFailure('upstream_timeout').message, { code: 'error', error: 'upstream_timeout' }],
])('the cause %j is data as well', (cause, fact) => {
  expect(viewCause(cause)).toEqual(fact)
})

it.each([undefined, 'ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:9', 'constructor', 'the budget is spent'])(
  'the cause %j is not in words of Headgate',
  (cause) => {
    expect(viewCause(cause)).toBeNull()
  },
)
