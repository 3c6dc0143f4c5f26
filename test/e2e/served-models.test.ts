import { describe, expect, it } from 'vitest'
import { servedModelListSchema } from '../../src/admin/models/catalog-contract.ts'
import { providerListSchema } from '../../src/admin/models/provider-contract.ts'
import { explainedRouteSchema } from '../../src/admin/models/route-contract.ts'
import { registerObjectCommands } from '../../src/cli/objects/register-objects.ts'
import { providerRegistry } from '../../src/providers/registry.ts'
import { addUser, codeOf, makeOwner } from '../support/admin-browser.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { createCommandRunner } from '../support/run-commands.ts'
import { startGateway } from '../support/start-gateway.ts'

const yaml = `channels:
  - { name: demo, provider: demo, models: [demo-chat, demo-embed] }
  - { name: spare, provider: anthropic, api_key: sk-ant-0123456789, models: { opus: claude-opus-4 }, priority: 5 }
models:
  fast: { targets: [spare/opus, demo/demo-chat], fallback: [demo-chat], strategy: least-busy }
groups: { search: { models: ["demo-*"] } }
`

async function run(dataFolder: string, ...argv: readonly string[]): Promise<string> {
  const { out } = await createCommandRunner(dataFolder, registerObjectCommands)(...argv)
  return out
}

describe('the catalog', () => {
  it('has every public name with its targets, page by page', async () => {
    await using gateway = await startGateway(yaml)
    const admin = createAskAdmin(gateway.url)
    const first = servedModelListSchema.parse((await admin('GET', '/catalog?limit=3')).body)
    expect(first.data.map(({ name, alias }) => [name, alias])).toEqual([
      ['demo-chat', false],
      ['demo-embed', false],
      ['fast', true],
    ])
    expect(first.data[2]).toMatchObject({
      owned_by: 'anthropic',
      strategy: 'least-busy',
      fallbacks: ['demo-chat'],
      targets: [
        { channel: 'spare', upstream_model: 'claude-opus-4', priority: 5, weight: 1 },
        { channel: 'demo', upstream_model: 'demo-chat', priority: 0 },
      ],
    })
    const second = servedModelListSchema.parse(
      (await admin('GET', `/catalog?limit=3&after=${first.next_after}`)).body,
    )
    expect(second.data.map(({ name }) => name)).toEqual(['opus'])
    expect(second.next_after).toBeNull()
    const names = async (query: string) =>
      servedModelListSchema.parse((await admin('GET', `/catalog?${query}`)).body).data.map(({ name }) => name)
    expect(await names('channel=spare&sort=-name')).toEqual(['opus', 'fast'])
    expect(await names('q=EMBED')).toEqual(['demo-embed'])
    await admin('POST', '/keys', { body: { name: 'narrow', models: ['fast', 'none'] } })
    expect(await names('key=narrow')).toEqual(['fast'])
    expect((await admin('GET', '/catalog?key=nobody')).status).toBe(404)
    expect(await run(gateway.dataFolder, 'models', 'served', '--search', 'fast')).toMatch(
      /fast +yes +spare\/claude-opus-4,demo\/demo-chat +demo-chat +least-busy/,
    )
  })

  it('shows members the models that their groups may use, without channels', async () => {
    await using gateway = await startGateway(yaml)
    const owner = await makeOwner(gateway)
    await owner.ask('POST', '/keys', { name: 'of-nobody' })
    const mia = await addUser(owner, gateway, { role: 'member', name: 'mia', groups: [{ group: 'search' }] })
    const { data } = servedModelListSchema.parse((await mia.ask('GET', '/catalog')).body)
    expect(data.map(({ name, targets, fallbacks }) => [name, targets, fallbacks])).toEqual([
      ['demo-chat', null, null],
      ['demo-embed', null, null],
    ])
    expect(codeOf(await mia.ask('GET', '/catalog?key=of-nobody'))).toBe('key_not_found')
  })
})

it('members see the price that their groups are charged for a model, and no other', async () => {
  await using gateway = await startGateway(`channels:
  - { name: dear, provider: demo, models: [gpt] }
  - { name: near, provider: demo, models: [gpt, mini] }
models:
  gpt: { price: { input: 2, output: 10, cached_input: 1, tool_calls: { web_search: 0.01 } } }
  mini: { price: { input: 1, output: 3 } }
groups:
  search: { models: [gpt], multiplier: 1.5 }
  plain: { models: ["*"] }
`)
  const owner = await makeOwner(gateway)
  const chargedFor = async (query: string, person: Pick<typeof owner, 'ask'> = owner) =>
    servedModelListSchema
      .parse((await person.ask('GET', `/catalog${query}`)).body)
      .data.map(({ name, charged }) => [name, charged])
  const gpt = { input: 2, output: 10, cached_input: 1, tool_calls: { web_search: 0.01 } }
  const dearer = { input: 3, output: 15, cached_input: 1.5, tool_calls: { web_search: 0.015 } }
  const mini = { input: 1, output: 3 }
  expect(await chargedFor('')).toEqual([
    ['gpt', [gpt]],
    ['mini', [mini]],
  ])
  const join = (name: string, ...groups: readonly string[]) =>
    addUser(owner, gateway, { role: 'member', name, groups: groups.map((group) => ({ group })) })
  expect(await chargedFor('', await join('mia', 'search'))).toEqual([['gpt', [dearer]]])
  expect(await chargedFor('', await join('max', 'search', 'plain'))).toEqual([
    ['gpt', [gpt, dearer]],
    ['mini', [mini]],
  ])
  expect(await run(gateway.dataFolder, 'models', 'served', '--search', 'gpt')).toMatch(/gpt .* 2\/10\n/)
  await owner.ask('POST', '/keys', { name: 'of-search', group: 'search' })
  expect(await chargedFor('?key=of-search')).toEqual([['gpt', [dearer]]])
})

describe('the route of a request', () => {
  it('has its candidates in their order with lanes and losses, by key and format, and no call is made', async () => {
    await using gateway = await startGateway(yaml)
    const admin = createAskAdmin(gateway.url)
    const ask = async (body: object) =>
      explainedRouteSchema.parse((await admin('POST', '/route', { body })).body)
    const chat = await ask({ model: 'fast' })
    expect(chat.candidates.map(({ channel, lane }) => [channel, lane])).toEqual([
      ['spare', 'translated'],
      ['demo', 'verbatim'],
    ])
    expect(chat).toMatchObject({ model: 'fast', strategy: 'least-busy', excluded: [] })
    const messages = await ask({ model: 'fast', format: 'messages', stream: true })
    expect(messages.candidates.map(({ lane }) => lane)).toEqual(['verbatim', 'translated'])
    for (const format of ['responses', 'gemini', 'completions'])
      expect((await ask({ model: 'demo-chat', format })).candidates).toHaveLength(1)
    expect((await ask({ model: 'demo-embed', format: 'embeddings' })).candidates).toHaveLength(1)
    const lossy = await ask({
      model: 'opus',
      body: { messages: [{ role: 'user', content: 'hi' }], logit_bias: { 1: 2 } },
    })
    expect(lossy.candidates[0]?.loss).toContain('logit')
    const requests = await admin('GET', '/requests')
    expect(requests.body).toMatchObject({ data: [] })
  })

  it('is limited to the permissions of the key, or is the error that its caller would get', async () => {
    await using gateway = await startGateway(yaml)
    const admin = createAskAdmin(gateway.url)
    await admin('POST', '/keys', { body: { name: 'narrow', models: ['demo-chat'] } })
    const refused = await admin('POST', '/route', { body: { model: 'fast', key: 'narrow' } })
    expect(refused).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } })
    expect((await admin('POST', '/route', { body: { model: 'demo-chat', key: 'narrow' } })).status).toBe(200)
    expect((await admin('POST', '/route', { body: { model: 'fast', key: 'nobody' } })).status).toBe(404)
    expect((await admin('POST', '/route', { body: {} })).body).toMatchObject({
      error: { code: 'missing_field', param: 'model' },
    })
    expect(await run(gateway.dataFolder, 'models', 'route', 'fast', '--format', 'messages')).toMatch(
      /fast \(least-busy\)\n.*\n +1\. spare\/claude-opus-4 with credential spare#1: verbatim\n +2\. demo\/demo-chat: translated/,
    )
  })
})

it('providers are listed with the fields that a channel of each requires', async () => {
  await using gateway = await startGateway(yaml)
  const { body } = await createAskAdmin(gateway.url)('GET', '/providers')
  const { data } = providerListSchema.parse(body)
  expect(data.map(({ id }) => id)).toEqual(providerRegistry.ids)
  const find = (id: string) => data.find((each) => each.id === id)
  expect(find('openai')).toMatchObject({
    key: 'required',
    base_url: 'https://api.openai.com/v1',
    settings: [],
  })
  expect(find('azure-openai')).toMatchObject({ base_url_by: 'channel', settings: [{ name: 'api_version' }] })
  expect(find('ollama')).toMatchObject({ key: 'optional', is_local: true, lists_models: true })
  expect(find('demo')).toMatchObject({ key: 'none', base_url_by: 'gateway' })
  const secret = find('bedrock')?.settings.find(({ name }) => name === 'secret_access_key')
  expect(secret).toMatchObject({ secret: true })
  for (const { settings } of data)
    for (const { pattern } of settings) expect(() => new RegExp(pattern)).not.toThrow()
})
