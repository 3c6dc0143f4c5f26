import { expect, it } from 'vitest'
import { createFailure } from '../canonical/failure.ts'
import { statusWithoutAnswer } from './write-row.ts'

it.each([
  ['that the caller left', { type: 'caller-gone' }, 499],
  [
    'that failed before its answer began',
    { type: 'failed', failure: createFailure('upstream_timeout') },
    504,
  ],
  ['that a fault of ours broke off', { type: 'in-progress' }, 500],
  ['that was answered, but not sent', { type: 'answered' }, 500],
] as const)(
  'a request %s, to which no status was sent, is logged with a status of its own',
  (_, outcome, status) => {
    expect(statusWithoutAnswer(outcome)).toBe(status)
  },
)
