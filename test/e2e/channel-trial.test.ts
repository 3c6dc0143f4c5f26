import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ChannelTrial, channelTrialSchema } from '../../src/admin/certification/trial-contract.ts'
import { registerObjectCommands } from '../../src/cli/objects/register-objects.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import type { Admin } from '../support/certification/certify-channel.ts'
import { openCheckedUpstream } from '../support/certification/open-checked-upstream.ts'
import { createCommandRunner } from '../support/run-commands.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { untilAsync } from '../support/until.ts'

const typedKey = 'sk-typed-0123456789zyxwvu'
/** A gateway whose admin API may make channels with upstreams of this machine. */
const open = 'admin: { allow_private: true }\nchannels: [{ name: demo, provider: demo }]\n'

function typed(origin: string, more: object = {}) {
  const upstream = { base_url: `${origin}/v1`, api_key: typedKey, allow_private: true }
  return { name: 'new', provider: 'openai-compatible', models: ['m'], ...upstream, ...more }
}

async function tryChannel(admin: Admin, body: object, query = ''): Promise<ChannelTrial> {
  const answer = await admin('POST', `/channel-trials${query}`, { body })
  expect(answer.status, answer.text).toBe(200)
  return channelTrialSchema.parse(answer.body)
}

describe('the trial of an unsaved channel', () => {
  it('calls its first model with the typed credential, and saves nothing', async () => {
    await using upstream = await openCheckedUpstream('chat')
    await using gateway = await startGateway(open)
    const admin = createAskAdmin(gateway.url)
    const trial = await tryChannel(admin, typed(upstream.origin))
    expect(trial).toMatchObject({ works: true, model: 'm', credential_accepted: true, model_list: null })
    expect(trial.results).toMatchObject([{ check: 'chat', outcome: 'works', finding: 'word_repeated' }])
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${typedKey}`])
    expect((await admin('GET', '/channels/new')).status).toBe(404)
    expect((await admin('GET', '/config')).text).not.toContain('"new"')
    expect((await admin('GET', '/catalog')).text).not.toContain('"new"')
  })

  it('reads the provider’s list of models, and then calls the chosen model', async () => {
    const models = { data: [{ id: 'alpha' }, { id: 'beta' }] }
    await using upstream = await openScriptedUpstream(({ path, body }) => {
      if (path === '/v1/models') return jsonAnswer(models)
      const [, word] = /else: (\S+?)"/.exec(String(body)) ?? []
      const message = { role: 'assistant', content: word }
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      return jsonAnswer({ id: 'c', object: 'chat.completion', created: 1, model: 'beta', choices })
    })
    await using gateway = await startGateway(open)
    const admin = createAskAdmin(gateway.url)
    const listed = await tryChannel(admin, typed(upstream.origin, { models: '*' }))
    expect(listed).toMatchObject({
      works: true,
      model_list: { read: true, reason: null, fact: null },
      models: ['alpha', 'beta'],
      model: null,
      results: [],
      credential_accepted: false,
    })
    const asked = await tryChannel(admin, typed(upstream.origin, { models: '*' }), '?model=beta')
    expect(asked).toMatchObject({ works: true, model: 'beta', credential_accepted: true })
  })

  it('calls the first model of a provider without a list', async () => {
    await using gateway = await startGateway('channels: []\n')
    const trial = await tryChannel(createAskAdmin(gateway.url), { name: 'demo', provider: 'demo' })
    expect(trial).toMatchObject({ works: true, model: 'demo-chat', credential_accepted: false })
    expect(trial.models).toEqual(['demo-chat', 'demo-embed'])
  })

  it('works on a demo that is added to a gateway that started without one', async () => {
    await using gateway = await startGateway('channels: []\n')
    const admin = createAskAdmin(gateway.url)
    const made = await admin('POST', '/channels', { body: { name: 'demo', provider: 'demo' } })
    expect(made.status, made.text).toBe(201)
    expect((await admin('GET', '/catalog')).text).toContain('demo-chat')
  })

  it('requests embeddings from a model that refuses a conversation', async () => {
    await using upstream = await openScriptedUpstream(({ path }) =>
      path.endsWith('/embeddings')
        ? jsonAnswer({
            object: 'list',
            model: 'm',
            data: [
              { object: 'embedding', index: 0, embedding: [0.1, 0.2] },
              { object: 'embedding', index: 1, embedding: [0.3, 0.1] },
            ],
            usage: { prompt_tokens: 4, total_tokens: 4 },
          })
        : jsonAnswer({ error: { message: 'This is not a chat model.' } }, 400),
    )
    await using gateway = await startGateway(open)
    const trial = await tryChannel(createAskAdmin(gateway.url), typed(upstream.origin))
    expect(trial).toMatchObject({
      works: true,
      results: [
        { check: 'chat', outcome: 'does_not_work' },
        { check: 'embeddings', outcome: 'works' },
      ],
    })
  })

  it('reports the provider’s answer to a wrong credential, without any secret', async () => {
    const refusal = { error: { message: `Incorrect API key provided: ${typedKey}.` } }
    await using upstream = await openScriptedUpstream(() => jsonAnswer(refusal, 401))
    await using gateway = await startGateway(open)
    const admin = createAskAdmin(gateway.url)
    const trial = await tryChannel(admin, typed(upstream.origin))
    expect(trial).toMatchObject({ works: false, credential_accepted: false })
    const [result] = trial.results
    expect(result).toMatchObject({ check: 'chat', details: { code: 'upstream_credential' } })
    expect(result?.message).toContain('[redacted]')
    const listed = await tryChannel(admin, typed(upstream.origin, { models: '*' }), '?model=m')
    expect(listed).toMatchObject({
      works: false,
      model_list: {
        read: false,
        reason: expect.stringContaining('401'),
        fact: { code: 'answered_status', values: { status: 401 } },
      },
    })
    expect(JSON.stringify([trial, listed])).not.toContain(typedKey)
    const [evidence] = result?.evidence ?? []
    let logged = await admin('GET', `/requests/${evidence?.request_id}`)
    await untilAsync('the request log has it', async () => {
      logged = await admin('GET', `/requests/${evidence?.request_id}`)
      return logged.status === 200
    })
    expect(logged.body).toMatchObject({ key: 'internal:certification', model: 'm' })
    expect(logged.text).not.toContain(typedKey)
    const audit = await admin('GET', '/audit?limit=1')
    expect(audit.body).toMatchObject({
      data: [{ action: 'channel.try', subject: 'new', details: ['provider: openai-compatible', 'model: m'] }],
    })
    expect((await admin('GET', '/audit')).text).not.toContain(typedKey)
    expect((await admin('GET', '/health')).body).toMatchObject({ status: 'healthy' })
  })

  it('reaches no address that a channel in service may not reach', async () => {
    await using upstream = await openCheckedUpstream('chat')
    await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
    const admin = createAskAdmin(gateway.url)
    for (const more of [{}, { allow_private: false }]) {
      const body = typed(upstream.origin, more)
      const created = await admin('POST', '/channels', { body })
      const tried = await admin('POST', '/channel-trials', { body })
      expect([tried.status, tried.body]).toEqual([created.status, created.body])
      expect(tried.status).toBe(400)
    }
    const metadata = typed('http://169.254.169.254')
    expect((await admin('POST', '/channel-trials', { body: metadata })).status).toBe(400)
    expect(upstream.requests).toEqual([])
  })

  it('is refused like the creation of the channel, and calls no provider', async () => {
    await using upstream = await openCheckedUpstream('chat')
    await using gateway = await startGateway(open)
    const admin = createAskAdmin(gateway.url)
    const refusalOf = async (more: object, query = '') => {
      const body = typed(upstream.origin, more)
      const answer = await admin('POST', `/channel-trials${query}`, { body })
      return [answer.status, answer.body]
    }
    expect(await refusalOf({ name: 'demo' })).toMatchObject([409, { error: { code: 'owned_by_file' } }])
    expect(await refusalOf({ name: undefined })).toMatchObject([400, { error: { code: 'missing_field' } }])
    expect(await refusalOf({ weight: -1 })).toMatchObject([
      400,
      { error: { code: 'config_invalid', param: 'weight' } },
    ])
    expect(await refusalOf({ disabled: true })).toMatchObject([400, { error: { param: 'disabled' } }])
    expect(await refusalOf({}, '?model=other')).toMatchObject([404, { error: { code: 'model_not_found' } }])
    expect(await refusalOf({}, '?models=m')).toMatchObject([400, { error: { code: 'invalid_field' } }])
    expect(upstream.requests).toEqual([])
  })

  it('tries a change of a channel with its stored secrets, and stores nothing of it', async () => {
    await using upstream = await openCheckedUpstream('chat')
    await using gateway = await startGateway(open)
    const admin = createAskAdmin(gateway.url)
    const made = await admin('POST', '/channels', { body: typed(upstream.origin, { disabled: true }) })
    expect(made.status, made.text).toBe(201)
    const before = (await admin('GET', '/channels/new')).body
    const trial = await tryChannel(admin, { models: ['changed'] }, '?channel=new')
    expect(trial).toMatchObject({ works: true, model: 'changed', credential_accepted: true })
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${typedKey}`])
    expect((await admin('GET', '/channels/new')).body).toEqual(before)
    expect((await admin('GET', '/audit?limit=1')).body).toMatchObject({
      data: [{ action: 'channel.try', subject: 'new' }],
    })
  })

  it('sends no stored secret to another address', async () => {
    await using upstream = await openCheckedUpstream('chat')
    await using gateway = await startGateway(open)
    const admin = createAskAdmin(gateway.url)
    await admin('POST', '/channels', { body: typed('http://127.0.0.1:9') })
    const body = { base_url: `${upstream.origin}/v1` }
    const refused = await admin('POST', '/channel-trials?channel=new', { body })
    expect(refused).toMatchObject({ status: 400, body: { error: { param: 'api_key' } } })
    expect(upstream.requests).toEqual([])
  })

  it('refuses a change of a channel of the file, and of an unknown one', async () => {
    await using gateway = await startGateway(open)
    const admin = createAskAdmin(gateway.url)
    const codeOf = async (name: string) =>
      (await admin('POST', `/channel-trials?channel=${name}`, { body: { weight: 2 } })).body
    expect(await codeOf('demo')).toMatchObject({ error: { code: 'owned_by_file' } })
    expect(await codeOf('gone')).toMatchObject({ error: { code: 'config_object_not_found' } })
  })

  it('ends when its caller disconnects', async () => {
    await using upstream = await openScriptedUpstream({ ending: 'silence' })
    await using gateway = await startGateway(open)
    const leaving = new AbortController()
    const asked = fetch(`${gateway.url}/admin/v1/channel-trials`, {
      method: 'POST',
      headers: { authorization: 'Bearer admin-token-0123456789abcdef', 'content-type': 'application/json' },
      body: JSON.stringify(typed(upstream.origin)),
      signal: leaving.signal,
    })
    const request = await upstream.request(0)
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await request.closed
    expect(request.abortedAtMs).toBeDefined()
  })
})

describe('headgate channels try', () => {
  it('prints its findings, and exits with 1 if the channel would not work', async () => {
    await using good = await openCheckedUpstream('chat')
    await using bad = await openCheckedUpstream('chat', ['fails', 'has-no-vectors'])
    await using gateway = await startGateway(open)
    const run = createCommandRunner(gateway.dataFolder, registerObjectCommands)
    const key = join(makeTemporaryFolder(), 'key')
    writeFileSync(key, typedKey)
    const runWith = (origin: string) => {
      const fields = ['--provider', 'openai-compatible', '--base-url', `${origin}/v1`, '--key-file', key]
      return run('channels', 'try', 'new', ...fields, '--models', 'm', '--set', 'allow_private=true')
    }
    const worked = await runWith(good.origin)
    expect(worked).toMatchObject({ code: 0, error: '' })
    expect(worked.out).toContain('The channel would work.\n')
    expect(worked.out).toMatch(/chat +works/)
    const failed = await runWith(bad.origin)
    expect(failed).toMatchObject({ code: 1, out: expect.stringContaining('would not work') })
    expect(failed.out).not.toContain(typedKey)
  })

  it('tries a change of the channel that --channel names, with the stored secrets of that channel', async () => {
    await using upstream = await openCheckedUpstream('chat')
    await using gateway = await startGateway(open)
    await createAskAdmin(gateway.url)('POST', '/channels', { body: typed(upstream.origin) })
    const run = createCommandRunner(gateway.dataFolder, registerObjectCommands)
    const tried = await run('channels', 'try', '--channel', 'new', '--models', 'changed')
    expect(tried).toMatchObject({ code: 0, error: '' })
    expect(tried.out).toContain('The model changed was asked')
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${typedKey}`])
  })

  it('requires one name, either of a new channel or of an existing one', async () => {
    await using gateway = await startGateway(open)
    const run = createCommandRunner(gateway.dataFolder, registerObjectCommands)
    for (const names of [[], ['new', '--channel', 'demo']])
      expect(await run('channels', 'try', ...names)).toMatchObject({
        code: 1,
        error: expect.stringContaining('name a new channel, or with --channel one that is there'),
      })
  })
})
