import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { printWelcome } from '../../src/cli/process/print-welcome.ts'
import { fetchPriceList } from '../../src/cli/remote/fetch-price-list.ts'
import { makeOwner } from '../support/admin-browser.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { type StartedGateway, testAdminToken } from '../support/start-gateway.ts'
import { useNodes } from './open-nodes.ts'

const { openNode, openNodes } = useNodes()

/** What the start of a node says on a terminal. */
function welcome({ app }: StartedGateway): string {
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  printWelcome(app, { print, printError: print }, { isTerminal: true, environment: {}, flags: {} })
  return lines.join('\n')
}

test('the link to the first owner stays valid when another node starts, which says where it is', async () => {
  const { nodes, yaml } = await openNodes('', 1)
  const [first] = nodes
  if (first === undefined) throw new Error('a node was opened')
  const secret = String(first.firstOwnerSecret)
  expect(welcome(first)).toContain(secret)
  const second = await openNode(yaml)
  expect(second.app.firstOwner).toMatchObject({ id: first.app.firstOwner?.id, secret: undefined })
  expect(welcome(second)).toMatch(/no owner yet.*open until 20.*headgate users link/)
  await makeOwner(first)
  const third = await openNode(yaml)
  expect(third.app.firstOwner).toBeUndefined()
})

test('a node that restarts on its data folder shows the link whose secret is still in its file', async () => {
  const { nodes, yaml } = await openNodes('', 1)
  const [first] = nodes
  if (first === undefined) throw new Error('a node was opened')
  await first.close(0)
  const again = await openNode(yaml, {}, dirname(first.dataFolder))
  expect(again.app.firstOwner).toEqual(first.app.firstOwner)
  await makeOwner(again)
})

test('a backup by the admin API is refused, and the error names the tool to use', async () => {
  const { nodes } = await openNodes('', 1)
  const refused = await createAskAdmin(String(nodes[0]?.url))('POST', '/backup')
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'not_with_postgres' } } })
  expect(refused.text).toContain('pg_dump')
})

test('the prices that a command lists are those of the node that runs on its folder', async () => {
  const { nodes } = await openNodes('models: { m: { price: { input: 0, output: 2 } } }\n', 1)
  const [node] = nodes
  if (node === undefined) throw new Error('a node was opened')
  const lines: string[] = []
  const add = (text: string) => void lines.push(text)
  const list = await fetchPriceList(
    {
      dataFolder: () => node.dataFolder,
      adminToken: () => testAdminToken,
      loadInput: () => {
        throw new Error('no configuration is read while a node runs')
      },
      io: { write: add, writeError: add, isTerminal: false, setExitCode: () => undefined },
    },
    {},
  )
  expect(list.data).toMatchObject([{ model: 'm', channel: 'one', in_force: { source: 'model' } }])
  expect(lines).toEqual([])
})

test('of nodes that start at the same moment one creates the first key, and each of them serves', async () => {
  await openNodes('', 0)
  const yaml = 'keys: []\nchannels: [{ name: demo, provider: demo }]\n'
  const nodes = await Promise.all([openNode(yaml), openNode(yaml), openNode(yaml)])
  const made = nodes.flatMap(({ app: { firstKey } }) => (firstKey === undefined ? [] : [firstKey.secret]))
  const files = nodes.filter(({ app: { firstKeyFile } }) => firstKeyFile.isThere())
  expect([made.length, files.length]).toEqual([1, 1])
  for (const { url } of nodes) {
    const headers = { authorization: `Bearer ${made[0]}` }
    await expect.poll(async () => (await fetch(`${url}/v1/models`, { headers })).status).toBe(200)
  }
})
