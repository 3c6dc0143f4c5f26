import { expect, test } from 'vitest'
import { GatewayError } from '../../canonical/failure.ts'
import { systemClock } from '../../kit/time/clock.ts'
import { createKeyCosts } from './read-key-costs.ts'

test('keys are listed without costs while the ledger does not answer', async () => {
  const usage = () => Promise.reject(new GatewayError('store_unavailable'))
  expect(await createKeyCosts({ usage }, systemClock)()).toBeUndefined()
})

test('a fault of the reader itself is not hidden as a missing cost', async () => {
  const usage = () => Promise.reject(new TypeError('planted'))
  await expect(createKeyCosts({ usage }, systemClock)()).rejects.toThrow('planted')
})
