import { expect, test } from 'vitest'
import type { KeyId } from '../../access/key.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { brand } from '../../kit/brand.ts'
import { systemClock } from '../../kit/time/clock.ts'
import { createKeyCosts } from './read-key-costs.ts'

const keyId = brand<KeyId>('key_1')

test.each(['store_unavailable', 'report_too_slow'] as const)(
  'keys are listed without costs when the ledger cannot be read: %s',
  async (code) => {
    const usage = () => Promise.reject(new GatewayError(code))
    expect(await createKeyCosts({ usage }, systemClock)([keyId])).toBeUndefined()
  },
)

test.each([new TypeError('planted'), new GatewayError('internal_error', { message: 'planted' })])(
  'an internal error of the reader is not hidden as a missing cost: %s',
  async (fault) => {
    const usage = () => Promise.reject(fault)
    await expect(createKeyCosts({ usage }, systemClock)([keyId])).rejects.toThrow('planted')
  },
)
