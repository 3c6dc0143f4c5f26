import { expect, test } from 'vitest'
import { GatewayError } from '../../canonical/failure.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import { ConfigError } from '../../config/config-error.ts'
import { describeError, writeFailure } from './describe-error.ts'
import { ServerRefusedError } from './server-refused-error.ts'

const noRoom = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })

test("an operator's error shows its advice, its code and, below it, each cause that it does not quote", () => {
  const inner = new OperatorError('file_unwritable', '/srv/new cannot be written', { cause: noRoom })
  const error = new OperatorError('backup_failed', 'no backup was made', { cause: inner })
  expect(describeError(error).split('\n')).toEqual([
    'no backup was made; mend that, then make it again [backup_failed]',
    '  cause: /srv/new cannot be written',
    '  cause: ENOSPC: no space left on device, write',
  ])
})

test('a cause that the message quotes is not repeated', () => {
  const happened = `/srv/new cannot be written: ${noRoom.message}`
  const error = new OperatorError('file_unwritable', happened, { advice: 'make room', cause: noRoom })
  expect(describeError(error)).toBe(`${happened}; make room [file_unwritable]`)
})

test('the logged cause of a refusal follows its message, or replaces a message that refers to the log', () => {
  const logCause = 'headgate.db: disk full'
  expect(describeError(new GatewayError('store_unavailable', { logCause }))).toBe(logCause)
  const refused = new GatewayError('key_not_found', { message: 'There is none.', logCause: 'no row' })
  expect(describeError(refused)).toBe('There is none. (no row)')
  expect(describeError(new GatewayError('key_not_found', { message: 'There is none.' }))).toBe(
    'There is none.',
  )
})

test('only an internal fault shows its stack', () => {
  const fault = new TypeError('planted')
  expect(describeError(fault)).toBe(`internal fault: ${fault.stack}`)
  expect(describeError(noRoom)).toBe(noRoom.message)
  expect(describeError(new ServerRefusedError('There is no such key.'))).toBe('There is no such key.')
})

test('configuration problems begin with their file, and all other problems with the program name', () => {
  const problem = { file: 'headgate.yaml', line: 2, column: 1, path: 'listen', message: 'is missing' }
  expect(writeFailure(new ConfigError([problem]))).toBe('headgate.yaml:2:1: listen: is missing')
  expect(writeFailure(noRoom)).toBe(`headgate: ${noRoom.message}`)
})
