import { expect, test } from 'vitest'
import { GatewayError } from '../canonical/failure.ts'
import { createAdminTokenCheck, createMetricsTokenCheck } from './check-admin-token.ts'

test.each([
  ['Bearer the-admin-token', 'passes'],
  ['bearer the-admin-token', 'passes'],
  ['the-admin-token', 'passes'],
  ['Bearer the-admin-tokem', 'admin_only'],
  ['Bearer', 'admin_only'],
  ['', 'admin_only'],
  [undefined, 'admin_only'],
  [['Bearer the-admin-token'], 'admin_only'],
])('the admin token sent as "%s" gives: %s', (authorization, answer) => {
  const check = createAdminTokenCheck('the-admin-token')
  const outcome = () => {
    try {
      check(authorization)
      return 'passes'
    } catch (error) {
      return error instanceof GatewayError ? error.failure.code : String(error)
    }
  }
  expect(outcome()).toBe(answer)
})

test('an empty admin token admits no request', () => {
  expect(() => createAdminTokenCheck('')('')).toThrow(GatewayError)
})

test('the metrics accept their own token and the admin token, and a refusal names the file of the metrics token', () => {
  const check = createMetricsTokenCheck(['the-metrics-token', 'the-admin-token'])
  expect(() => check('Bearer the-metrics-token')).not.toThrow()
  expect(() => check('Bearer the-admin-token')).not.toThrow()
  expect(() => check('Bearer another')).toThrow(/metrics-token/)
})
