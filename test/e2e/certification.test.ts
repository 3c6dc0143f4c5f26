import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import {
  certificationListSchema,
  certificationPlanSchema,
} from '../../src/admin/certification/certification-contract.ts'
import { registerCertifyCommand } from '../../src/cli/served/certify.ts'
import { upstreamKey } from '../support/agent/speech.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import {
  certifyChannel,
  findingsOf,
  openCheckedGateway,
  waitForEnd,
} from '../support/certification/certify-channel.ts'
import { openCheckedUpstream } from '../support/certification/open-checked-upstream.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway, testAdminToken } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'
const priced = 'models: { m: { price: { input: 2, output: 8 } } }\n'

/** A gateway with channels that share the model `m`, the first preferred. */
function startWith(origins: readonly string[], more = '') {
  const channels = origins.map((origin, index) => ({
    name: `c${index}`,
    format: 'chat' as const,
    origin,
    models: ['m'],
    more: `priority: ${9 - index}`,
  }))
  return startGateway(channelYaml(...channels) + more)
}

describe('a certification', () => {
  it('of the demo finds what each of its models can do', async () => {
    await using gateway = await startGateway(demo)
    const admin = createAskAdmin(gateway.url)
    const checks = ['chat', 'tools', 'images', 'embeddings']
    const started = await admin('POST', '/channels/demo/certifications', { body: { checks } })
    const { data } = certificationListSchema.parse(started.body)
    const found = await Promise.all(data.map(({ id }) => waitForEnd(admin, id)))
    expect(found.map((view) => [view.model, findingsOf(view)])).toEqual([
      [
        'demo-chat',
        {
          chat: 'works word_repeated',
          tools: 'works result_used',
          images: 'does_not_work image_not_seen',
          embeddings: 'not_offered no_embeddings',
        },
      ],
      [
        'demo-embed',
        {
          chat: 'does_not_work refused',
          tools: 'not_tried needs_chat',
          images: 'not_tried needs_chat',
          embeddings: 'works vectors_given',
        },
      ],
    ])
  })

  it('calls its channel alone, and does not change its health', async () => {
    await using bad = await openCheckedUpstream('chat', ['fails', 'has-no-vectors'])
    await using other = await openCheckedUpstream('chat')
    await using gateway = await startWith([bad.origin, other.origin])
    const admin = createAskAdmin(gateway.url)
    const view = await certifyChannel(admin, 'c0')
    expect(findingsOf(view)['chat']).toBe('does_not_work refused')
    expect(bad.requests.length).toBeGreaterThan(0)
    expect(other.requests).toEqual([])
    const health = await admin('GET', '/health')
    expect(health.body).toMatchObject({ status: 'healthy' })
  })

  it('is sent under an internal key, whose rows have its cost', async () => {
    await using upstream = await openCheckedUpstream('chat')
    await using gateway = await startWith([upstream.origin], priced)
    const admin = createAskAdmin(gateway.url)
    const view = await certifyChannel(admin, 'c0', ['chat', 'tools'])
    expect(view).toMatchObject({ state: 'done', author: 'admin token', model: 'm', upstream_model: 'm' })
    expect(view.cost_usd).toBeGreaterThan(0)
    expect(view.cost_usd).toBeLessThanOrEqual(view.estimated_cost_usd ?? 0)
    const [evidence] = view.results[0]?.evidence ?? []
    expect(evidence).toMatchObject({ sent: expect.stringContaining('Repeat this word') })
    let usage = await admin('GET', '/usage?by=key,channel')
    await untilAsync('the ledger has all of it', async () => {
      usage = await admin('GET', '/usage?by=key,channel')
      return usage.text.includes('"requests":3')
    })
    expect(usage.body).toMatchObject({
      data: [{ by: { key: 'internal:certification', channel: 'c0' }, requests: 3, cost_usd: view.cost_usd }],
    })
    expect((await admin('GET', `/certifications/${view.id}`)).body).toEqual(view)
    let logged = await admin('GET', `/requests/${evidence?.request_id}`)
    await untilAsync('the request log has it', async () => {
      logged = await admin('GET', `/requests/${evidence?.request_id}`)
      return logged.status === 200
    })
    expect(logged.body).toMatchObject({ key: 'internal:certification', model: 'm', channel: 'c0' })
    const audit = await admin('GET', '/audit?limit=1')
    expect(audit.body).toMatchObject({
      data: [{ action: 'channel.certify', subject: 'c0', details: ['model: m'] }],
    })
  })

  it('is refused by the budgets and rate limits that apply, and then gives no verdict on the channel', async () => {
    await using upstream = await openCheckedUpstream('chat')
    const limits = 'budgets: [{ name: m, scope: "model:m", limit_usd: 0.000001, window: day, mode: exact }]\n'
    await using gateway = await startWith([upstream.origin], priced + limits)
    const view = await certifyChannel(createAskAdmin(gateway.url), 'c0', ['tools'])
    expect(view.results).toMatchObject([
      { outcome: 'not_tried', finding: 'unanswered', details: { code: 'budget_exceeded' } },
    ])
    expect(upstream.requests).toEqual([])
  })

  it('states its maximum cost beforehand, and skips every check that could exceed the limit', async () => {
    await using upstream = await openCheckedUpstream('chat')
    await using gateway = await startWith([upstream.origin], priced)
    const admin = createAskAdmin(gateway.url)
    const planned = await admin('GET', '/channels/c0/certification-plan?model=m&checks=chat,prompt_cache')
    const plan = certificationPlanSchema.parse(planned.body)
    // Chat: 100 in and 1,024 out; the cache: three times 9,000 in and 512 out; at 2 and 8 dollars a million.
    expect(plan).toMatchObject({ requests: 4, models: [{ model: 'm', requests: 4 }] })
    expect(plan.estimated_cost_usd).toBeCloseTo(0.008392 + 3 * (0.018 + 0.004096), 9)
    const body = { checks: ['chat', 'prompt_cache'], max_cost_usd: 0.01 }
    const started = await admin('POST', '/channels/c0/certifications', { body })
    const [first] = certificationListSchema.parse(started.body).data
    const view = await waitForEnd(admin, first?.id ?? '')
    expect(findingsOf(view)).toEqual({ chat: 'works word_repeated', prompt_cache: 'not_tried over_cost' })
  })

  it('ends at once when it is cancelled, and closes the upstream call', async () => {
    await using upstream = await openScriptedUpstream({ ending: 'silence' })
    await using gateway = await startWith([upstream.origin])
    const admin = createAskAdmin(gateway.url)
    const started = await admin('POST', '/channels/c0/certifications', {
      body: { checks: ['chat', 'tools'] },
    })
    const [first] = certificationListSchema.parse(started.body).data
    const request = await upstream.request(0)
    const again = await admin('POST', '/channels/c0/certifications', { body: {} })
    expect([again.status, again.body]).toMatchObject([409, { error: { code: 'certification_in_progress' } }])
    await admin('POST', `/certifications/${first?.id}/cancel`)
    await request.closed
    expect(request.abortedAtMs).toBeDefined()
    const view = await waitForEnd(admin, first?.id ?? '')
    expect(view.state).toBe('cancelled')
    expect((await admin('POST', `/certifications/${first?.id}/cancel`)).body).toMatchObject({
      state: 'cancelled',
    })
  })

  it('is cancelled when the process ends', async () => {
    await using upstream = await openScriptedUpstream({ ending: 'silence' })
    const gateway = await startWith([upstream.origin])
    const admin = createAskAdmin(gateway.url)
    await admin('POST', '/channels/c0/certifications', { body: { checks: ['chat'] } })
    const request = await upstream.request(0)
    await gateway[Symbol.asyncDispose]()
    await request.closed
    expect(request.abortedAtMs).toBeDefined()
  })

  it('has no secret of the channel, whatever the upstream sends', async () => {
    const message = { role: 'assistant', content: `Your key is ${upstreamKey}.` }
    const answer = jsonAnswer({
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    })
    await using upstream = await openScriptedUpstream([
      answer,
      jsonAnswer({ error: { message: upstreamKey } }, 400),
    ])
    await using gateway = await startWith([upstream.origin])
    const view = await certifyChannel(createAskAdmin(gateway.url), 'c0', ['chat', 'embeddings'])
    expect(JSON.stringify(view)).toContain('[redacted]')
    expect(JSON.stringify(view)).not.toContain(upstreamKey)
  })

  it('lists the newest of each channel and model, and pages through all', async () => {
    await using cleanup = new AsyncDisposableStack()
    const gateway = await openCheckedGateway([{ format: 'chat' }, { format: 'messages' }], cleanup)
    const admin = createAskAdmin(gateway.url)
    const made: string[] = []
    for (const channel of ['c0', 'c1', 'c0']) made.push((await certifyChannel(admin, channel, ['chat'])).id)
    const list = async (query: string) =>
      certificationListSchema.parse((await admin('GET', `/certifications?${query}`)).body)
    const newest = await list('newest=true')
    expect(newest.data.map(({ id }) => id)).toEqual([made[2], made[1]])
    const page = await list('limit=2')
    expect(page.data.map(({ id }) => id)).toEqual([made[2], made[1]])
    const rest = await list(`limit=2&before=${page.next_before}`)
    expect([rest.data.map(({ id }) => id), rest.next_before]).toEqual([[made[0]], null])
    expect((await list('channel=c0&model=m0')).data).toHaveLength(2)
  })

  it('is refused for an unknown channel, model, check or certification', async () => {
    await using gateway = await startGateway(demo)
    const admin = createAskAdmin(gateway.url)
    const start = async (channel: string, body: object) => {
      const answered = await admin('POST', `/channels/${channel}/certifications`, { body })
      return [answered.status, answered.body]
    }
    expect(await start('none', {})).toMatchObject([404, { error: { code: 'config_object_not_found' } }])
    expect(await start('demo', { model: 'none' })).toMatchObject([
      404,
      { error: { code: 'model_not_found' } },
    ])
    expect(await start('demo', { checks: ['none'] })).toMatchObject([
      400,
      { error: { code: 'invalid_field' } },
    ])
    expect(await start('demo', { max_cost_usd: -1 })).toMatchObject([
      400,
      { error: { code: 'invalid_field' } },
    ])
    const missing = await admin('POST', '/certifications/none/cancel')
    expect([missing.status, missing.body]).toMatchObject([
      404,
      { error: { code: 'certification_not_found' } },
    ])
  })
})

describe('a certification of channels in formats that no caller uses', () => {
  const texts = (body: unknown): string =>
    (JSON.stringify(body).match(/nothing else: (\S+?)[\\"]/) ?? [])[1] ?? ''

  it('calls a channel of Cohere', async () => {
    await using upstream = await openScriptedUpstream(({ body }) =>
      jsonAnswer({
        id: 'c',
        message: { role: 'assistant', content: [{ type: 'text', text: texts(JSON.parse(String(body))) }] },
        finish_reason: 'COMPLETE',
        usage: { tokens: { input_tokens: 12, output_tokens: 5 } },
      }),
    )
    const channel = {
      name: 'c0',
      format: 'cohere',
      origin: upstream.origin,
      models: { m: 'command-a-03-2025' },
    } as const
    await using gateway = await startGateway(channelYaml(channel))
    const view = await certifyChannel(createAskAdmin(gateway.url), 'c0', ['chat', 'documents', 'reasoning'])
    expect(findingsOf(view)).toEqual({
      chat: 'works word_repeated',
      documents: 'not_offered no_field',
      reasoning: 'not_offered no_field',
    })
  })

  it('calls a channel of Bedrock in its Converse format', async () => {
    await using upstream = await openScriptedUpstream(({ body }) =>
      jsonAnswer({
        output: { message: { role: 'assistant', content: [{ text: texts(JSON.parse(String(body))) }] } },
        stopReason: 'end_turn',
        usage: { inputTokens: 12, outputTokens: 5, totalTokens: 17 },
      }),
    )
    const models = { m: 'us.amazon.nova-2-lite-v1:0' }
    const channel = { name: 'c0', format: 'converse', origin: upstream.origin, models } as const
    await using gateway = await startGateway(channelYaml(channel))
    const view = await certifyChannel(createAskAdmin(gateway.url), 'c0', ['chat', 'images', 'token_counts'])
    expect(findingsOf(view)).toEqual({
      chat: 'works word_repeated',
      images: 'does_not_work image_not_seen',
      token_counts: 'not_offered no_endpoint',
    })
  })
})

describe('headgate certify', () => {
  interface Ran {
    readonly out: string
    readonly errors: string
    readonly code: number
  }

  async function run(
    folder: string,
    argv: readonly string[],
    signal = new AbortController().signal,
  ): Promise<Ran> {
    const ran = { out: '', errors: '', code: 0 }
    const io = {
      write: (text: string) => {
        ran.out += text
      },
      writeError: (text: string) => {
        ran.errors += text
      },
      isTerminal: false,
      setExitCode: (code: number) => {
        ran.code = code
      },
    }
    const program = new Command('headgate').exitOverride()
    const context = {
      dataFolder: () => folder,
      adminToken: () => testAdminToken,
      io,
      interrupted: () => signal,
    }
    registerCertifyCommand(program, context)
    await program.parseAsync(['node', 'headgate', 'certify', ...argv])
    return ran
  }

  it('states the cost, prints each result as it arrives, and exits with 0 if everything works', async () => {
    await using cleanup = new AsyncDisposableStack()
    const { dataFolder } = await openCheckedGateway([{ format: 'chat' }], cleanup)
    const ran = await run(dataFolder, ['c0', '--model', 'm0', '--checks', 'chat,token_counts'])
    expect(ran.code).toBe(0)
    expect(ran.errors).toContain('3 requests at most for m0: the cost is not known')
    expect(ran.errors).toContain('m0: chat: works')
    expect(ran.out).toMatch(/^c0\/m0 \(m\), done, /)
    expect(ran.out).toMatch(/token_counts +not offered +Nothing was sent/)
    const last = await run(dataFolder, ['c0', '--last', '--json'])
    expect(certificationListSchema.pick({ data: true }).parse(JSON.parse(last.out)).data).toHaveLength(1)
    const planned = await run(dataFolder, ['c0', '--plan', '--json'])
    expect(certificationPlanSchema.parse(JSON.parse(planned.out)).requests).toBe(22)
  })

  it('exits with 1 where something does not work, or was never tried', async () => {
    await using cleanup = new AsyncDisposableStack()
    const { dataFolder } = await openCheckedGateway([{ format: 'chat', faults: ['ignores-tools'] }], cleanup)
    expect(await run(dataFolder, ['c0', '--last'])).toMatchObject({
      code: 1,
      errors: 'Nothing was certified there yet.\n',
    })
    const ran = await run(dataFolder, ['c0', '--checks', 'tools', '--json'])
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([
      1,
      { data: [{ results: [{ finding: 'no_call' }] }] },
    ])
  })

  it('cancels when it is interrupted', async () => {
    await using upstream = await openScriptedUpstream({ ending: 'silence' })
    await using gateway = await startWith([upstream.origin])
    const interruption = new AbortController()
    const running = run(gateway.dataFolder, ['c0', '--checks', 'chat', '--json'], interruption.signal)
    await upstream.request(0)
    interruption.abort()
    const ran = await running
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([1, { data: [{ state: 'cancelled' }] }])
  })
})

it('a channel whose models are not known yet has an empty plan, and no certification starts on it', async () => {
  const yaml = `channels:
  - { name: silent, provider: openai-compatible, base_url: "http://127.0.0.1:9/v1", allow_private: true, api_key: sk-up-0123456789, models: "*" }
`
  await using gateway = await startGateway(yaml)
  const admin = createAskAdmin(gateway.url)
  const planned = await admin('GET', '/channels/silent/certification-plan')
  expect(planned).toMatchObject({ status: 200, body: { models: [], requests: 0 } })
  expect((await admin('POST', '/channels/silent/certifications', { body: {} })).status).toBe(404)
  expect((await admin('GET', '/channels/silent/certification-plan?model=m')).status).toBe(404)
})
