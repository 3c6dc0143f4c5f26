import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { priceListSchema } from '../../src/admin/prices/price-contract.ts'
import { settingsViewSchema } from '../../src/admin/settings/settings-contract.ts'
import { registerPricesCommand } from '../../src/cli/money/prices.ts'
import { loadConfig, systemLoadInput } from '../../src/config/load-config.ts'
import { readEnvironment } from '../../src/config/source/environment.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { startGateway, testAdminToken } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const yaml = `channels:
  - { name: a, provider: openai, api_key: k, models: [gpt-4o] }
  - { name: demo, provider: demo }`

async function run(folder: string, ...argv: readonly string[]): Promise<string> {
  let out = ''
  const write = (text: string) => {
    out += text
  }
  const program = new Command('headgate').exitOverride()
  const io = { write, writeError: write, isTerminal: false, setExitCode: () => undefined }
  const loadInput = () => systemLoadInput({})
  registerPricesCommand(program, {
    dataFolder: () => folder,
    adminToken: () => testAdminToken,
    io,
    loadInput,
  })
  await program.parseAsync(['node', 'headgate', 'prices', ...argv])
  return out
}

it('the running server lists the prices of its targets, with those of listed models and of the API', async () => {
  await using gateway = await startGateway(yaml)
  const admin = createAskAdmin(gateway.url)
  await admin('POST', '/models', {
    body: { name: 'fast', targets: ['a/gpt-4o'], price: { input: 7, output: 8 } },
  })
  const { status, text } = await admin('GET', '/prices')
  expect(status).toBe(200)
  const { data } = priceListSchema.parse(JSON.parse(text))
  const summary = data.map(({ model, channel, in_force: price }) => [
    model,
    channel,
    price?.source,
    price?.price['input'],
  ])
  expect(summary).toEqual([
    ['demo-chat', 'demo', 'free', 0],
    ['demo-embed', 'demo', 'free', 0],
    ['fast', 'a', 'model', 7],
    ['gpt-4o', 'a', 'table', 2.5],
  ])
  expect(await run(gateway.dataFolder, 'list', 'fast')).toMatch(/^fast +a\/gpt-4o +7 +- +8 +model/m)
  expect(await run(gateway.dataFolder, 'show', 'gpt-4o')).toContain('input: 2.5\n')
})

it('an invalid time is refused, and so is a call without the token', async () => {
  await using gateway = await startGateway(yaml)
  const admin = createAskAdmin(gateway.url)
  expect(await admin('GET', '/prices?at=soon')).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_field', param: 'at' } },
  })
  expect((await admin('GET', '/prices', { token: 'wrong' })).status).toBe(401)
})

it('a newer price table takes effect with the next reload', async () => {
  const folder = makeTemporaryFolder()
  await using gateway = await startGateway(yaml, folder)
  const admin = createAskAdmin(gateway.url)
  const inputOf = async () => {
    const { text } = await admin('GET', '/prices?model=gpt-4o')
    return priceListSchema.parse(JSON.parse(text)).data[0]?.in_force?.price['input']
  }
  const file = join(folder, 'litellm.json')
  const entry = {
    litellm_provider: 'openai',
    mode: 'chat',
    input_cost_per_token: 1e-6,
    output_cost_per_token: 2e-6,
  }
  writeFileSync(file, JSON.stringify({ 'gpt-4o': entry }))
  await run(gateway.dataFolder, 'update', file)
  expect(await inputOf()).toBe(2.5)
  const environment = readEnvironment({ HEADGATE_ADMIN_TOKEN: testAdminToken })
  const config = join(folder, 'headgate.yaml')
  await gateway.app.reload(
    await loadConfig({ ...systemLoadInput({ config }), environment, workingFolder: folder }),
  )
  expect(await inputOf()).toBe(1)
})

it('a price file that is damaged while the server runs changes no price, and its metrics and settings say so', async () => {
  needsOneProcess('it reads the metrics of one process')
  const folder = makeTemporaryFolder()
  const file = join(folder, 'data', 'prices.json')
  mkdirSync(join(folder, 'data'))
  const sheets = [{ input: 9_000_000_000, output: 9_000_000_000 }]
  const versions = [{ from: '2026-11-24', sheets }]
  const models = [{ provider: 'openai', name: 'gpt-4o', mode: 'chat', versions }]
  writeFileSync(file, JSON.stringify({ source: 'mine', date: '2199-01-01', licence: 'MIT', models }))
  await using gateway = await startGateway(yaml, folder)
  const admin = createAskAdmin(gateway.url)
  const readPrice = async () => {
    const { data } = priceListSchema.parse((await admin('GET', '/prices')).body)
    return data.find(({ model }) => model === 'gpt-4o')?.in_force?.price['input']
  }
  const readMetric = async () =>
    /^headgate_price_file_up (\d)/m.exec(await (await fetch(`${gateway.url}/metrics`)).text())?.[1]
  expect([await readPrice(), await readMetric()]).toEqual([9, '1'])
  writeFileSync(file, '{')
  const change = { body: { name: 'fast', targets: ['a/gpt-4o'] } }
  expect((await admin('POST', '/models', change)).status).toBe(201)
  expect([await readPrice(), await readMetric()]).toEqual([9, '0'])
  const { warnings } = settingsViewSchema.parse((await admin('GET', '/settings')).body)
  expect(warnings.join('\n')).toContain('prices.json: is no price table that can be read any more')
})
