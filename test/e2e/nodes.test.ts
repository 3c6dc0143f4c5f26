import { hostname } from 'node:os'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { nodeListSchema } from '../../src/admin/nodes/node-contract.ts'
import { registerNodesCommand } from '../../src/cli/monitoring/nodes.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { startGateway, testAdminToken } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'

/** Runs `headgate …` in this process; answers with what it wrote. */
async function run(folder: string, argv: readonly string[]): Promise<string> {
  let out = ''
  const write = (text: string) => {
    out += text
  }
  const program = new Command('headgate').exitOverride()
  const io = { write, writeError: write, isTerminal: false, setExitCode: () => undefined }
  registerNodesCommand(program, { dataFolder: () => folder, adminToken: () => testAdminToken, io })
  await program.parseAsync(['node', 'headgate', ...argv])
  return out
}

it('the API and the command list the one process of a data folder', async () => {
  needsOneProcess('it lists one process')
  await using gateway = await startGateway(demo)
  const { body } = await createAskAdmin(gateway.url)('GET', '/nodes')
  const list = nodeListSchema.parse(body)
  expect(list).toMatchObject({
    store: 'sqlite',
    files_differ: false,
    config_versions_differ: false,
    data: [{ name: hostname(), state: 'ready', is_this: true, config_version: 0, file_differs: false }],
  })
  const [node] = list.data
  expect(await run(gateway.dataFolder, ['nodes'])).toMatch(new RegExp(`${node?.file_fingerprint}`))
  const printed = nodeListSchema.parse(JSON.parse(await run(gateway.dataFolder, ['nodes', '--json'])))
  expect(printed.data).toHaveLength(1)
})

it('a node has another fingerprint for another file, which reveals no text of the file', async () => {
  const fingerprint = async (yaml: string, secret = 'one-secret-0123456789abcdef') => {
    await using gateway = await startGateway(yaml, undefined, { secret })
    const { data } = nodeListSchema.parse((await createAskAdmin(gateway.url)('GET', '/nodes')).body)
    return data[0]?.file_fingerprint
  }
  const other = await fingerprint(
    `${demo}budgets: [{ name: all, scope: installation, limit_usd: 5, window: day }]\n`,
  )
  const own = await fingerprint(demo)
  expect(own).not.toBe(other)
  expect(await fingerprint(demo)).toBe(own)
  // It is keyed: who knows the text, but not the secret of the installation, cannot try texts against it.
  expect(await fingerprint(demo, 'another-secret-0123456789abcdef')).not.toBe(own)
})
