import { expect, test } from 'vitest'
import { z } from 'zod'
import { type StartedGateway, testAdminToken } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'
import { callNode, useNodes } from './open-nodes.ts'

const { openNodes, openNode, database } = useNodes()
const bodySchema = z.looseObject({ id: z.string().optional(), secret: z.string().optional() })

async function admin(node: StartedGateway | undefined, method: string, path: string, body?: unknown) {
  const response = await fetch(`${node?.url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${testAdminToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answered: unknown = await response.json()
  return { status: response.status, body: bodySchema.parse(answered) }
}

test('a key that is created on one node works on the other, until it is revoked there', async () => {
  const { nodes } = await openNodes()
  const made = await admin(nodes[0], 'POST', '/keys', { name: 'shared', models: ['*'] })
  expect(made.status).toBe(201)
  const key = String(made.body.secret)
  await untilAsync('the other node knows the key', async () => (await callNode(nodes[1], key)).status === 200)
  const revokedAtMs = performance.now()
  await admin(nodes[1], 'DELETE', `/keys/${made.body.id}`)
  await untilAsync('the key is refused', async () => (await callNode(nodes[0], key)).status === 401)
  expect(performance.now() - revokedAtMs).toBeLessThan(2_000)
})

test('an exact budget applies to two nodes together: exactly as many requests are served as fit', async () => {
  const key = 'sk-budget-0123456789abcdef'
  const { nodes } = await openNodes(`
keys:
  - { name: spender, secret: ${key}, models: ["*"], budgets: [{ limit_usd: 0.001, window: total, mode: exact, at_limit: refuse }] }
models: { m: { price: { input: 0, output: 2 } } }
`)
  // Twenty tokens of output cost 40,000 nano-dollars, so that 25 answers fit.
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => (await callNode(nodes[index % 2], key)).status),
  )
  expect(answers.filter((status) => status === 200)).toHaveLength(25)
  expect(answers.filter((status) => status === 429)).toHaveLength(35)
  const rows = await database().server.query(
    database().url,
    "select sum(cost)::bigint as cost, count(*)::int as rows from headgate.ledger_rows where state = 'settled'",
  )
  expect(rows).toEqual([{ cost: '1000000', rows: 25 }])
})

test('a budget that is reset on one node is reset on the other, which has spent nothing of it', async () => {
  const key = 'sk-reset-0123456789abcdef'
  const { nodes } = await openNodes(`
keys:
  - { name: spender, secret: ${key}, models: ["*"], budgets: [{ limit_usd: 0.00004, window: total, at_limit: refuse }] }
models: { m: { price: { input: 0, output: 2 } } }
`)
  const call = async (node: number) => (await callNode(nodes[node], key)).status
  expect([await call(0), await call(0), await call(1)]).toEqual([200, 429, 429])
  expect((await admin(nodes[0], 'POST', '/budgets/key:spender%2Ftotal/reset', {})).status).toBe(200)
  await untilAsync('the other node serves a call', async () => (await call(1)) === 200)
  expect([await call(0), await call(1)]).toEqual([429, 429])
})

test('the spending of one node is shown and reset by the other, which has never used the budget', async () => {
  const key = 'sk-shown-0123456789abcdef'
  const { nodes } = await openNodes(`
keys:
  - { name: spender, secret: ${key}, models: ["*"], budgets: [{ limit_usd: 0.00004, window: total, at_limit: refuse }] }
models: { m: { price: { input: 0, output: 2 } } }
`)
  expect((await callNode(nodes[0], key)).status).toBe(200)
  const budget = '/budgets/key:spender%2Ftotal'
  const spentOf = async () => (await admin(nodes[1], 'GET', budget)).body['spent_usd']
  await expect.poll(spentOf).toBe(0.00004)
  const account = await fetch(`${nodes[1]?.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } })
  expect(await account.json()).toMatchObject({ data: { usage: 0.00004, limit_remaining: 0 } })
  expect((await admin(nodes[1], 'POST', `${budget}/reset`, {})).status).toBe(200)
  await untilAsync('it serves a call', async () => (await callNode(nodes[0], key)).status === 200)
})

test('the values of a budget that only one node has used are listed by the other, the highest spending first', async () => {
  const key = 'sk-values-0123456789abcdef'
  const { nodes } = await openNodes(`
keys:
  - { name: spender, secret: ${key}, models: ["*"], end_user_budget: { limit_usd: 1, window: day } }
models: { m: { price: { input: 0, output: 2 } } }
`)
  for (const user of ['ann', 'bob', 'bob']) expect((await callNode(nodes[0], key, { user })).status).toBe(200)
  const values = async () => {
    const { body } = await admin(nodes[1], 'GET', '/budgets/key:spender%2Fend_user%2Fday/values')
    return z
      .array(z.object({ value: z.string(), spent_usd: z.number() }))
      .parse(body['data'])
      .map(({ value, spent_usd: spent }) => [value, spent])
  }
  await expect.poll(values).toEqual([
    ['bob', 0.00008],
    ['ann', 0.00004],
  ])
})

test('a change of the configuration on one node is served by the other', async () => {
  const { nodes } = await openNodes()
  const changed = await admin(nodes[0], 'PUT', '/models/alias', { targets: ['one/m'] })
  expect([200, 201]).toContain(changed.status)
  await untilAsync('the other node serves it', async () => {
    const list = await fetch(`${nodes[1]?.url}/v1/models`, {
      headers: { authorization: 'Bearer sk-test-0123456789abcdef' },
    })
    return JSON.stringify(await list.json()).includes('"alias"')
  })
})

test('a node with another secret does not start, and names the mismatch', async () => {
  const { yaml } = await openNodes('', 1)
  await expect(openNode(yaml, { secret: 'other-secret-0123456789abcdef' })).rejects.toThrow(
    /HEADGATE_SECRET is not/,
  )
  await expect(openNode(yaml, { adminToken: 'another-token-0123456789abcdef' })).rejects.toThrow(
    /HEADGATE_ADMIN_TOKEN is not the one that the node/,
  )
})

test('a node with a limit that PostgreSQL does not have does not start', async () => {
  const { yaml } = await openNodes('', 1)
  await expect(openNode(`${yaml}\nledger: { max_bytes: 1GB }\n`)).rejects.toThrow(
    /ledger.max_bytes has no effect/,
  )
})

test('a node continues without a restart once the database is back, and its exact budget still applies', async () => {
  const key = 'sk-restart-0123456789abcdef'
  const { nodes } = await openNodes(`
keys:
  - { name: spender, secret: ${key}, models: ["*"], budgets: [{ limit_usd: 0.0002, window: total, mode: exact, at_limit: refuse }] }
models: { m: { price: { input: 0, output: 2 } } }
`)
  const { server } = database()
  expect((await callNode(nodes[0], key)).status).toBe(200)
  await server.stop('crash')
  const away = await callNode(nodes[1], key)
  expect([away.status, await away.json()]).toMatchObject([503, { error: { code: 'ledger_unavailable' } }])
  expect((await admin(nodes[1], 'GET', '/keys')).status).toBe(503)
  await server.start()
  const served: number[] = [200]
  await untilAsync('the budget is spent', async () => {
    const statuses = await Promise.all(nodes.map(async (node) => (await callNode(node, key)).status))
    served.push(...statuses.filter((status) => status === 200))
    return statuses.every((status) => status === 429)
  })
  // Forty thousand nano-dollars each, of two hundred thousand.
  expect(served).toHaveLength(5)
})
