import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSeededRandom } from '../../kit/random/seeded-random.ts'
import { createWebhookId, isWebhookSecret, webhookHeaders } from './sign-webhook.ts'

describe('the headers of a webhook request', () => {
  const post = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', atMs: 1_614_265_330_999 }

  // The example of the specification's libraries.
  it('are signed as Standard Webhooks requires', () => {
    expect(webhookHeaders(post, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('have no signature without a secret', () => {
    expect(Object.keys(webhookHeaders(post, undefined))).toEqual(['webhook-id', 'webhook-timestamp'])
  })

  it('sign the exact body', () => {
    const bytes = Buffer.alloc(40, 9)
    const { 'webhook-signature': signature } = webhookHeaders(
      { ...post, body: '{"name":"Grün"}' },
      `whsec_${bytes.toString('base64')}`,
    )
    const mac = createHmac('sha256', bytes).update(`${post.id}.1614265330.{"name":"Grün"}`, 'utf8')
    expect(signature).toBe(`v1,${mac.digest('base64')}`)
  })
})

it.each([
  [`whsec_${Buffer.alloc(24).toString('base64')}`, true],
  [`whsec_${Buffer.alloc(64).toString('base64')}`, true],
  [`whsec_${Buffer.alloc(23).toString('base64')}`, false],
  [`whsec_${Buffer.alloc(65).toString('base64')}`, false],
  [Buffer.alloc(32).toString('base64'), false],
  ['whsec_', false],
])('%s is accepted as a secret: %s', (text, isSecret) => {
  expect(isWebhookSecret(text)).toBe(isSecret)
})

it('ids are unique', () => {
  const random = createSeededRandom(3)
  const ids = new Set(Array.from({ length: 1_000 }, () => createWebhookId(random)))
  expect(ids.size).toBe(1_000)
})
