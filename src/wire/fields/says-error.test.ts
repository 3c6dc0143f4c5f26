import { expect, it } from 'vitest'
import { saysError } from './says-error.ts'

it.each([
  'Error: no such file',
  '  [error] no',
  'ENOENT_ERROR',
  '"file_not_found_error"',
  'not__found_error',
])('the first word says that the tool failed: %s', (text) => {
  expect(saysError(text)).toBe(true)
})

it.each(['', 'No error', 'terror', '_error', 'file not found', '{"ok":false,"error":1}'])(
  'the first word says nothing of the kind: %s',
  (text) => {
    expect(saysError(text)).toBe(false)
  },
)
