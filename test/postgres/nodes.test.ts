import { expect, test } from 'vitest'
import { type NodeList, nodeListSchema } from '../../src/admin/nodes/node-contract.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import type { StartedGateway } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'
import { useNodes } from './open-nodes.ts'

const { openNodes, openNode } = useNodes()

async function listNodes(node: StartedGateway | undefined): Promise<NodeList> {
  return nodeListSchema.parse((await createAskAdmin(String(node?.url))('GET', '/nodes')).body)
}

test('every node lists all of them, marks itself, and flags the one with another configuration file', async () => {
  const { nodes, yaml } = await openNodes()
  const same = await listNodes(nodes[0])
  expect(same).toMatchObject({ store: 'postgres', files_differ: false })
  const other = await openNode(`${yaml}\nlimits: { body: 1MiB }\n`)
  const lists = await Promise.all([...nodes, other].map(listNodes))
  expect(lists.map(({ data }) => data.map(({ is_this: isThis }) => isThis))).toEqual([
    [true, false, false],
    [false, true, false],
    [false, false, true],
  ])
  for (const list of lists) {
    expect(list.files_differ).toBe(true)
    expect(list.data.map(({ file_differs: differs }) => differs)).toEqual([false, false, true])
  }
})

test('a stopped node is no longer listed', async () => {
  const { nodes } = await openNodes()
  await nodes[1]?.close(0)
  await untilAsync('one is left', async () => (await listNodes(nodes[0])).data.length === 1)
})

test('a node states the version of the configuration that it serves', async () => {
  const { nodes } = await openNodes()
  await createAskAdmin(String(nodes[0]?.url))('PUT', '/models/alias', { body: { targets: ['one/m'] } })
  const versionOf = async (node: StartedGateway | undefined) =>
    (await listNodes(node)).data.find(({ is_this: isThis }) => isThis)?.config_version
  await untilAsync('the other node serves it', async () => (await versionOf(nodes[1])) === 1)
  expect(await versionOf(nodes[0])).toBe(1)
})
