import { expect, it } from 'vitest'
import { changeKeySchema, createKeySchema } from './keys/key-input-schema.ts'
import { inviteSchema } from './people/people-input-schema.ts'
import { readInput } from './read-input.ts'

it.each([
  ['a field that is missing', {}, [['name', 'required', {}]]],
  ['a value of another type', { name: 5 }, [['name', 'wrong_type', { expected: 'string' }]]],
  ['a name of another form', { name: ' ' }, [['name', 'wrong_format', { format: 'name' }]]],
  ['a reserved name', { name: '__proto__' }, [['name', 'reserved_name', {}]]],
  ['a name that a path cannot have', { name: '..' }, [['name', 'reserved_name', {}]]],
  ['a field that is not known', { name: 'ci', modles: ['*'] }, [['modles', 'unknown_field', {}]]],
  ['a list that is empty', { name: 'ci', models: [] }, [['models', 'too_few', { minimum: 1 }]]],
  ['a number below its bound', { name: 'ci', rate: { rpm: 0 } }, [['rate.rpm', 'too_small', { minimum: 1 }]]],
  [
    'a number above its bound',
    { name: 'ci', rate: { rpm: 1_000_000_001 } },
    [['rate.rpm', 'too_large', { maximum: 1_000_000_000 }]],
  ],
  [
    'a duration out of its range',
    { name: 'ci', rate: { rpm: 5, wait: '11m' } },
    [['rate.wait', 'out_of_range', { minimum: '0s', maximum: '10m' }]],
  ],
  [
    'a field that needs another',
    { name: 'ci', rate: { burst: 5 } },
    [['rate.burst', 'needs_field', { field: 'rpm' }]],
  ],
  [
    'a value that is none of those known, and a field that does not go with another, in one list',
    {
      name: 'ci',
      budgets: [
        { window: 'day', mode: 'guess' },
        { window: 'total', time_zone: 'UTC' },
      ],
    },
    [
      ['budgets[0].mode', 'unknown_value', { values: ['exact', 'estimate', 'observe'] }],
      ['budgets[1].time_zone', 'excluded_by_field', { field: 'window' }],
    ],
  ],
])('the problems of a key with %s are reported as facts', (_, input, facts) => {
  const problems = problemsOf(() => readInput(createKeySchema, input))
  expect(problems.map(({ path, fact }) => [path, fact.code, fact.values])).toEqual(facts)
})

it('each problem has a sentence', () => {
  const problems = problemsOf(() => readInput(inviteSchema, { role: 'boss', team: 'a' }))
  expect(problems.map(({ path, message }) => [path, message])).toEqual([
    ['role', 'must be owner, admin, viewer or member'],
    ['team', 'is not a field of this request'],
  ])
})

interface ShownProblem {
  readonly path: string
  readonly message: string
  readonly fact: { readonly code: string; readonly values: object }
}

it('lists a bounded number of problems, however many fields are wrong', () => {
  const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, 1]))
  expect(problemsOf(() => readInput(createKeySchema, { name: 'ci', ...unknown }))).toHaveLength(100)
  const models = Array.from({ length: 5_000 }, () => 5)
  expect(problemsOf(() => readInput(createKeySchema, { name: 'ci', models }))).toHaveLength(100)
})

it('a request that names no field to change gets a sentence about the request', () => {
  expect(() => readInput(changeKeySchema, {})).toThrow('The request must name a field to change.')
})

function problemsOf(work: () => unknown): readonly ShownProblem[] {
  try {
    work()
  } catch (error) {
    if (isRefusal(error)) return error.failure.problems
    throw error
  }
  throw new Error('nothing was refused')
}

function isRefusal(error: unknown): error is { failure: { problems: readonly ShownProblem[] } } {
  return error instanceof Error && 'failure' in error
}
