import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { printWelcome } from '../../src/cli/print-welcome.ts'
import { makeOwner } from '../support/admin-browser.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import type { StartedGateway } from '../support/start-gateway.ts'
import { useNodes } from './open-nodes.ts'

const { openNode, openNodes } = useNodes()

/** What the start of a node says on a terminal. */
function welcome({ app }: StartedGateway): string {
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  printWelcome(app, { print, printError: print }, { isTerminal: true })
  return lines.join('\n')
}

test('the link to the first owner stays open when another node starts, which says where it is', async () => {
  const { nodes, yaml } = await openNodes('', 1)
  const [first] = nodes
  if (first === undefined) throw new Error('a node was opened')
  const secret = String(first.app.firstOwner?.secret)
  expect(welcome(first)).toContain(secret)
  const second = await openNode(yaml)
  expect(second.app.firstOwner).toMatchObject({ id: first.app.firstOwner?.id, secret: undefined })
  expect(welcome(second)).toMatch(/no owner yet.*open until 20.*headgate users link/)
  await makeOwner(first)
  const third = await openNode(yaml)
  expect(third.app.firstOwner).toBeUndefined()
})

test('a node that starts again on its data folder shows the link whose secret is still in its file', async () => {
  const { nodes, yaml } = await openNodes('', 1)
  const [first] = nodes
  if (first === undefined) throw new Error('a node was opened')
  await first.app.close(0)
  const again = await openNode(yaml, {}, dirname(first.dataFolder))
  expect(again.app.firstOwner).toEqual(first.app.firstOwner)
  await makeOwner(again)
})

test('a backup by the admin API is refused, with the tool that makes one', async () => {
  const { nodes } = await openNodes('', 1)
  const refused = await createAskAdmin(String(nodes[0]?.url))('POST', '/backup')
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'not_with_postgres' } } })
  expect(refused.text).toContain('pg_dump')
})
