import { expect, it } from 'vitest'
import { readSetupRefusal } from './read-setup-refusal.ts'

it.each([
  [1007, 'Request contains an invalid argument.', 'upstream_rejected'],
  [1007, 'API key not valid. Please pass a valid API key.', 'upstream_credential'],
  [1007, '', 'upstream_rejected'],
  [
    1008,
    'models/x is not found for API version v1beta, or is not supported for bidiGenerateContent.',
    'upstream_model_missing',
  ],
  [1008, 'Your project has been denied access. Please contact support.', 'upstream_credential'],
  [1008, 'Operation is not implemented, or supported, or enabled.', 'upstream_rejected'],
  [
    1011,
    'You exceeded your current quota, please check your plan and billing details.',
    'upstream_rate_limited',
  ],
  [1011, 'Internal error encountered.', 'upstream_error'],
  [1013, '', 'upstream_overloaded'],
  [1000, '', 'upstream_disconnected'],
  [1001, '', 'upstream_disconnected'],
  [1006, '', 'upstream_disconnected'],
  [4_000, 'quota', 'upstream_disconnected'],
])('a close with %i %s is %s', (code, reason, row) => {
  expect(readSetupRefusal(code, reason)).toBe(row)
})
