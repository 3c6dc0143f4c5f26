import { expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { createSeededRandom } from '../kit/random/seeded-random.ts'
import { createAlertSender, NoAnswerError, type PostAlert } from './alert-sender.ts'
import { receiverSchema } from './receivers/receiver-schema.ts'
import { webhookHeaders } from './receivers/sign-webhook.ts'

const receiver = receiverSchema.parse({
  name: 'ops',
  type: 'webhook',
  url: 'https://hooks.example.com/services/secret-path',
  headers: { authorization: 'Bearer word' },
  secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
})

function openSender(post: PostAlert) {
  const clock = createFakeClock()
  const outcomes: string[] = []
  const warnings: string[] = []
  const sender = createAlertSender({
    post,
    clock,
    random: createSeededRandom(1),
    count: (outcome) => outcomes.push(outcome),
    warn: (message) => warnings.push(message),
  })
  return { clock, outcomes, warnings, sender }
}

async function settle() {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve()
}

it('a failed delivery is retried after growing pauses, then dropped with a log line that holds no secret', async () => {
  const triedAtMs: number[] = []
  const { clock, outcomes, warnings, sender } = openSender(async () => {
    triedAtMs.push(clock.monotonicMs())
    return 503
  })
  sender.send(receiver, () => '{}')
  for (let second = 0; second < 60; second += 1) {
    await settle()
    clock.advance(1_000)
  }
  await settle()
  expect(triedAtMs).toEqual([0, 1_000, 6_000, 36_000])
  expect(outcomes).toEqual(['failed'])
  expect(warnings).toEqual([
    'an alert could not be sent to ops (hooks.example.com): it answered with status 503',
  ])
  expect(clock.pendingTimers).toBe(0)
})

it('a permanently refused delivery is not retried, and the next delivery is sent', async () => {
  const bodies: string[] = []
  const { outcomes, sender } = openSender(async ({ body }) => {
    bodies.push(body)
    return body === 'a' ? 404 : 204
  })
  sender.send(receiver, () => 'a')
  sender.send(receiver, () => 'b')
  await settle()
  expect([bodies, outcomes]).toEqual([
    ['a', 'b'],
    ['failed', 'sent'],
  ])
})

it('a delivery is aborted after ten seconds without an answer', async () => {
  const reasons: unknown[] = []
  const { clock, sender } = openSender(
    (_post, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason)
          reject(signal.reason)
        })
      }),
  )
  sender.send(receiver, () => '{}')
  clock.advance(10_000)
  await settle()
  expect(reasons).toEqual([new DOMException('no answer in time', 'TimeoutError')])
  sender.close()
})

it('at most a hundred deliveries wait, and nothing keeps running after closing', async () => {
  let tries = 0
  const { clock, outcomes, sender } = openSender(async () => {
    tries += 1
    return 500
  })
  for (let count = 0; count < 150; count += 1) sender.send(receiver, () => '{}')
  await settle()
  expect(outcomes).toEqual(Array.from({ length: 49 }, () => 'dropped'))
  sender.close()
  await settle()
  sender.send(receiver, () => '{}')
  await settle()
  expect([tries, clock.pendingTimers]).toEqual([1, 0])
})

it('a retry has the same id and a new signature for its time', async () => {
  const sent: Readonly<Record<string, string>>[] = []
  const { clock, sender } = openSender(async ({ headers }) => {
    sent.push(headers)
    return sent.length === 1 ? 500 : 204
  })
  const atMs = clock.nowMs()
  sender.send(receiver, () => '{}')
  await settle()
  clock.advance(1_000)
  await settle()
  const id = sent[0]?.['webhook-id'] ?? ''
  expect(sent).toEqual(
    [atMs, atMs + 1_000].map((at) => ({
      authorization: 'Bearer word',
      ...webhookHeaders({ id, body: '{}', atMs: at }, receiver.secret),
    })),
  )
  sender.send(receiver, () => '{}')
  await settle()
  expect(sent[2]?.['webhook-id']).not.toBe(id)
})

it('a receiver that does not answer delays no other, and deliveries for a removed receiver are dropped', async () => {
  const sent: string[] = []
  const { sender } = openSender(({ receiver: { name }, body }) => {
    sent.push(`${name} ${body}`)
    return name === 'ops' ? new Promise(() => undefined) : Promise.resolve(204)
  })
  const other = { ...receiver, name: 'other' }
  for (const body of ['a', 'b']) {
    sender.send(receiver, () => body)
    sender.send(other, () => body)
  }
  await settle()
  expect(sent).toEqual(['ops a', 'other a', 'other b'])
  expect([sender.waitingOf('ops'), sender.waitingOf('other')]).toEqual([2, 0])
  sender.change([other])
  expect([sender.waitingOf('ops'), sender.lastOf('other')?.outcome]).toEqual([
    0,
    { type: 'sent', status: 204 },
  ])
  sender.close()
})

it.each([
  ['refused', () => new NoAnswerError('ECONNREFUSED', 'refused')],
  ['broken', () => new Error('another fault')],
] as const)('a test that gets no answer reports why: %s', async (noAnswer, fault) => {
  const { sender } = openSender(async () => {
    throw fault()
  })
  expect(await sender.test(receiver, '{}')).toMatchObject({ type: 'again', status: undefined, noAnswer })
})

it('a test is sent once outside the queue and reports its outcome', async () => {
  const { sender, outcomes } = openSender(async () => 403)
  expect(await sender.test(receiver, '{}')).toEqual({
    type: 'refused',
    status: 403,
    reason: 'it answered with status 403',
  })
  expect(outcomes).toEqual([])
})

it('an alert that waits is sent to its receiver as it was corrected meanwhile, in the words for its type', async () => {
  const sent: string[] = []
  const { clock, outcomes, sender } = openSender(async ({ receiver: { url }, headers, body }) => {
    sent.push(`${new URL(url).host} ${headers['webhook-signature'] === undefined ? '' : 'signed '}${body}`)
    return url === receiver.url ? 503 : 204
  })
  for (const text of ['a', 'b']) sender.send(receiver, ({ type }) => `${type} ${text}`)
  await settle()
  const corrected = receiverSchema.parse({
    name: 'ops',
    type: 'slack',
    url: 'https://hooks.slack.example/path',
  })
  sender.change([corrected])
  clock.advance(1_000)
  await settle()
  expect(sent).toEqual([
    'hooks.example.com signed webhook a',
    'hooks.slack.example slack a',
    'hooks.slack.example slack b',
  ])
  expect(outcomes).toEqual(['sent', 'sent'])
})
