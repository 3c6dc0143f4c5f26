import { expect, it } from 'vitest'
import type { JsonObject } from '../../kit/json/json.ts'
import { factOf } from '../../kit/schema/input-fact.ts'
import { providerRegistry } from '../../providers/registry.ts'
import { checkApiDocument } from './api-document.ts'

const channel = { name: 'a', provider: 'openai', api_key: 'k', models: ['m'] }

it.each([
  [
    'a value of none of the types that a field may have',
    { channels: [{ ...channel, models: 5 }] },
    { 'channels[0].models': ['no_alternative', { values: ['*'], types: ['array', 'object'] }] },
  ],
  [
    'a word where a field is off or has limits',
    { queue: 'on', channels: [{ ...channel, breaker: 7 }] },
    {
      queue: ['no_alternative', { values: ['off', 'false'], types: ['object'] }],
      'channels[0].breaker': ['no_alternative', { values: ['off', 'false'], types: ['object'] }],
    },
  ],
  [
    'values in place of which only others are known',
    { models: { m: { reasoning: 'much' } }, capture: { bodies: 'all' } },
    {
      'models.m.reasoning': ['no_alternative', expect.objectContaining({ types: ['boolean'] })],
      'capture.bodies': ['no_alternative', { values: ['off', 'prompts', 'answers', 'both', 'false'] }],
    },
  ],
  [
    'one form of a value, which is wrong',
    {
      channels: [channel],
      models: { m: { targets: ['nothing'] } },
      budgets: [{ name: 'b', scope: 'installation', limit_usd: 5, window: 'rolling 5x' }],
    },
    {
      'models.m.targets[0]': ['wrong_format', { format: 'target' }],
      'budgets[0].window': ['wrong_format', { format: 'budget_window' }],
    },
  ],
  [
    'durations and sizes below their bounds',
    {
      channels: [{ ...channel, health_check: { every: '10ms' } }],
      limits: { body: '8MB', held_bodies: '1MB', held_answers: '1MB' },
    },
    {
      'channels[0].health_check.every': ['below_minimum', { minimum: '1s' }],
      'limits.held_bodies': ['below_field', { field: 'limits.body' }],
      'limits.held_answers': ['below_minimum', { minimum: '128MB' }],
    },
  ],
  [
    'patterns that cannot be used',
    { capture: { redact: ['(', 'x*'], max_body: '1B' } },
    {
      'capture.redact[0]': ['wrong_format', { format: 'regular_expression' }],
      'capture.redact[1]': ['matches_empty_text', {}],
      'capture.max_body': ['out_of_range', { minimum: '1KB', maximum: '16MB' }],
    },
  ],
  [
    'receivers and rules of alerts that clash',
    {
      alerts: {
        secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
        receivers: [1, 2].map(() => ({ name: 'hook', type: 'webhook', url: 'https://hooks.example.com/a' })),
        rules: [1, 2].map(() => ({ name: 'rule', kind: 'budget' })),
      },
    },
    {
      'alerts.secret': ['needs_field', { field: 'webhook' }],
      'alerts.receivers[1].name': ['repeated', {}],
      'alerts.rules[1].name': ['repeated', {}],
    },
  ],
  [
    'paths, prices and factors of another form',
    {
      channels: [
        {
          ...channel,
          passthrough: [{ path: 'x', price: 'free' }],
          prices: {
            m: {
              input: 1,
              output: 2,
              effective_from: 'soon',
              hours: [{ from: '9', until: '10:00', input: 1, output: 1 }],
            },
          },
        },
      ],
      groups: { g: { models: ['*'], multiplier: 1.00000001 } },
    },
    {
      'channels[0].passthrough[0].path': ['wrong_format', { format: 'path_pattern' }],
      'channels[0].passthrough[0].price': ['no_alternative', { values: ['usage'], types: ['number'] }],
      'channels[0].prices.m.effective_from': ['wrong_format', { format: 'time' }],
      'channels[0].prices.m.hours[0].from': ['wrong_format', { format: 'time_of_day' }],
      'groups.g.multiplier': ['wrong_format', { format: 'multiplier' }],
    },
  ],
  [
    'two budgets of one name',
    { groups: { g: { models: ['*'], budgets: [1, 2].map(() => ({ limit_usd: 5, window: 'day' })) } } },
    { 'groups.g.budgets[1].name': ['repeated', {}] },
  ],
])('the problems of a document with %s are reported as facts', (_, document: JsonObject, facts) => {
  const found = checkApiDocument(document, providerRegistry, false)
  const shown = found.map((problem) => [problem.path, [factOf(problem)?.code, factOf(problem)?.values]])
  expect(Object.fromEntries(shown)).toEqual(facts)
})

it('a list in place of all models is refused with the value to write instead', () => {
  const document = { channels: [{ ...channel, provider: 'openai', models: ['*'] }] }
  const [problem] = checkApiDocument(document, providerRegistry, false)
  expect(problem && factOf(problem)).toEqual({ code: 'no_alternative', values: { values: ['*'] } })
})
