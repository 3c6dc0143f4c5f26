import { Command } from 'commander'
import { expect, test } from 'vitest'
import { registerAuditCommand } from '../../src/cli/audit.ts'
import { registerBackupCommands } from '../../src/cli/backup.ts'
import type { CommandContext } from '../../src/cli/command-context.ts'
import { registerLogsCommand } from '../../src/cli/logs.ts'
import { registerNodesCommand } from '../../src/cli/monitoring/nodes.ts'
import { Browser, makeOwner } from '../support/admin-browser.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { type StartedGateway, testAdminToken, testKey } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'
import { callNode, useNodes } from './open-nodes.ts'

const { openNodes } = useNodes()

/** Runs `headgate …` in this process; answers with what it wrote. */
async function run(node: StartedGateway | undefined, ...argv: readonly string[]): Promise<string> {
  let out = ''
  const write = (text: string) => {
    out += text
  }
  const io = { write, writeError: write, isTerminal: false, setExitCode: () => undefined }
  const context: CommandContext = {
    dataFolder: () => String(node?.dataFolder),
    adminToken: () => testAdminToken,
    io,
  }
  const program = new Command('headgate').exitOverride()
  registerAuditCommand(program, context)
  registerLogsCommand(program, context)
  registerNodesCommand(program, context)
  registerBackupCommands(program, context, '0')
  await program.parseAsync(['node', 'headgate', ...argv])
  return out
}

test('commands find the node by its folder, and read nothing of the folder if none is running', async () => {
  const { nodes } = await openNodes('', 1)
  const [node] = nodes
  expect(await run(node, 'nodes')).toMatch(/NODE +VERSION +STATE[\s\S]*ready/)
  expect(await run(node, 'audit')).toContain('key.create')
  expect(await run(node, 'backup', '/nonexistent/file')).toMatch(
    /pg_dump.*HEADGATE_SECRET.*not_with_postgres/s,
  )
  await node?.close(0)
  for (const command of ['audit', 'logs']) expect(await run(node, command)).toContain('[not_with_postgres]')
})

test('failed sign-ins on one node delay those on the other', async () => {
  const { nodes } = await openNodes()
  const [first, second] = nodes
  if (first === undefined || second === undefined) throw new Error('two nodes were opened')
  await makeOwner(first, 'olga')
  const status = async (node: StartedGateway) =>
    (await new Browser(node).ask('POST', '/sign-in', { name: 'olga', password: 'wrong' })).status
  for (let count = 0; count < 7; count += 1) await status(first)
  expect(await status(second)).toBe(429)
})

test('a capture of one node is read and deleted on the other', async () => {
  const { nodes } = await openNodes('capture: { bodies: both }\n')
  const answer = await callNode(nodes[0], testKey)
  const id = answer.headers.get('x-request-id')
  await answer.text()
  const ask = createAskAdmin(String(nodes[1]?.url))
  await untilAsync('it is stored', async () => (await ask('GET', `/captures/${id}`)).status === 200)
  expect((await ask('GET', `/captures/${id}`)).text).toContain('Hi.')
  expect((await ask('DELETE', `/captures/${id}`)).status).toBe(200)
  expect((await createAskAdmin(String(nodes[0]?.url))('GET', `/captures/${id}`)).status).toBe(404)
})
