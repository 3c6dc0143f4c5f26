import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ask } from '../../test/support/ask.ts'
import { streamRequest } from '../../test/support/sample-streams.ts'
import { openScriptedUpstream } from '../../test/support/scripted-upstream.ts'
import { startGateway, testAdminToken } from '../../test/support/start-gateway.ts'
import { channelHealthCommand } from './channel-health.ts'

async function run(dataFolder: string, reset?: string) {
  const said = { out: '', errors: '', code: 0 }
  const io = {
    write: (text: string) => {
      said.out += text
    },
    writeError: (text: string) => {
      said.errors += text
    },
    isTerminal: false,
    setExitCode: (code: number) => {
      said.code = code
    },
  }
  const context = { dataFolder: () => dataFolder, adminToken: () => testAdminToken, io }
  await channelHealthCommand({ reset, isJson: false }, context)
  return said
}

it('shows what is out of rotation and why, and resets it', async () => {
  await using upstream = await openScriptedUpstream({
    status: 401,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify({ error: { message: 'no', code: 'invalid_api_key' } })],
  })
  await using gateway = await startGateway(
    `channels: [{ name: a, provider: openai-compatible, base_url: "${upstream.origin}/v1", api_key: sk-upstream-0123, models: [m], concurrency: 4, allow_private: true }]`,
  )
  await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  const { out, code } = await run(gateway.dataFolder)
  expect(code).toBe(1)
  expect(out).toMatch(/^CHANNEL +STATE +CALLS +LATENCY\na +degraded +0\/4 +-\n\nCHANNEL +CREDENTIAL/)
  expect(out).toMatch(/\na +a#1 +- +open +refused +\d{4}-\S+ +600 s\n$/)
  expect((await run(gateway.dataFolder, 'a')).out).toMatch(/\na +healthy +0\/4 +-\n$/)
  expect(await run(gateway.dataFolder, 'b')).toMatchObject({
    code: 1,
    errors: expect.stringContaining('The configuration has nothing of this name.'),
  })
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
  expect(metrics).toContain('headgate_channel_calls{channel="a"} 0')
  expect(metrics).toContain('headgate_waiting_requests 0')
  await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  expect(await (await fetch(`${gateway.url}/metrics`)).text()).toContain(
    'headgate_health_state{channel="a",scope="credential",credential="a#1",upstream_model="",operation=""} 0',
  )
})

it('says that a process uses the folder if it finds no server there', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]')
  writeFileSync(join(gateway.dataFolder, 'server.json'), '{}')
  const { code, errors } = await run(gateway.dataFolder)
  expect(code).toBe(1)
  expect(errors).toContain(
    `a Headgate process uses the data folder ${gateway.dataFolder}, but takes no commands`,
  )
  expect(errors).not.toContain('no server runs')
})
