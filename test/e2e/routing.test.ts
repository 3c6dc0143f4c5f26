import { describe, expect, it } from 'vitest'
import { answerStrictly } from '../support/agent/speech.ts'
import { ask } from '../support/ask.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { createGate } from '../support/gate.ts'
import { type OpenGateway, openGateway, type Script } from '../support/open-gateway.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { startGateway, testAdminToken, testKey } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const good: Script = (request) => answerStrictly('chat', request, { text: 'Well.' })
const broken = jsonAnswer({ error: { message: 'broken', type: 'server_error' } }, 500)
const refused = jsonAnswer({ error: { message: 'bad key' } }, 401)
const chunk = (delta: object, reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
const words = (content: string) => chunk({ content })
const role = chunk({ role: 'assistant', content: '' })
const contentOf = (stream: Buffer) =>
  [...stream.toString().matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text).join('')

describe('a channel that keeps failing', () => {
  it('is skipped, while another channel answers', async () => {
    const more = 'retry: { same_target: 0 }\n'
    await using open = await openGateway({ scripts: [broken, good], more })
    for (let turn = 0; turn < 12; turn += 1) {
      const answer = await ask({ url: open.gateway.url, format: 'chat' }, { model: 'm', messages })
      expect(answer.status).toBe(200)
    }
    const asked = open.upstreams[0]?.requests.length ?? 0
    expect(asked).toBeGreaterThanOrEqual(5)
    expect(asked).toBeLessThan(12)
  })

  it('is not called again with a credential that it refused', async () => {
    needsOneProcess('another process learns of the refusal a moment later')
    await using open = await openGateway({ scripts: [refused, good] })
    for (let turn = 0; turn < 4; turn += 1) {
      await ask({ url: open.gateway.url, format: 'chat' }, { model: 'm', messages })
    }
    expect(open.upstreams[0]?.requests).toHaveLength(1)
  })
})

describe('a channel with a limit of concurrent calls', () => {
  it('lets further calls wait, and serves them as slots become free', async () => {
    const gate = createGate()
    const slow: Script = async (request) => {
      await gate.opened
      return answerStrictly('chat', request, { text: 'Well.' })
    }
    await using open = await openGateway({ scripts: [slow], firstMore: 'concurrency: 1' })
    const caller = { url: open.gateway.url, format: 'chat' } as const
    const answers = [1, 2, 3].map(() => ask(caller, { model: 'm', messages }))
    await open.upstreams[0]?.request(0)
    expect(open.upstreams[0]?.requests).toHaveLength(1)
    gate.open()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('reports the time to retry to a caller that could not wait long enough', async () => {
    needsOneProcess('each process limits the calls of a channel by itself')
    const gate = createGate()
    const slow: Script = async (request) => {
      await gate.opened
      return answerStrictly('chat', request, { text: 'Well.' })
    }
    const more = 'queue: { wait: 100ms }\n'
    await using open = await openGateway({ scripts: [slow], firstMore: 'concurrency: 1', more })
    const caller = { url: open.gateway.url, format: 'chat' } as const
    const first = ask(caller, { model: 'm', messages })
    await open.upstreams[0]?.request(0)
    const second = await ask(caller, { model: 'm', messages })
    expect(second.status).toBe(503)
    expect(JSON.parse(second.body.toString()).error.code).toBe('upstream_overloaded')
    gate.open()
    expect((await first).status).toBe(200)
  })
})

describe('a dry run', () => {
  async function askDry(
    { gateway }: Pick<OpenGateway, 'gateway'>,
    path = '/v1/chat/completions',
    key: string = testKey,
  ) {
    const answer = await fetch(gateway.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-headgate-dry-run': '1',
      },
      body: JSON.stringify({ model: 'm', max_tokens: 9, messages, seed: 7 }),
    })
    return { status: answer.status, route: JSON.parse(await answer.text()) }
  }
  const scripts = [good, good]
  const allowed = `keys: [{ name: test, secret: ${testKey}, models: ["*"], dry_run: true }]\n`

  it.each([
    ['a key that may', allowed, testKey],
    ['an operator', '', testAdminToken],
  ])('reports to %s the route of a request and makes no call', async (_who, more, key) => {
    await using open = await openGateway({ scripts, format: ['chat', 'messages'], more })
    const { status, route } = await askDry(open, '/v1/chat/completions', key)
    expect(status).toBe(200)
    expect(route).toMatchObject({
      object: 'headgate.route',
      model: 'm',
      strategy: 'priority-weighted',
      candidates: [
        { channel: 'channel-1', lane: 'verbatim', loss: '' },
        { channel: 'channel-2', lane: 'translated' },
      ],
      excluded: [],
    })
    expect(route.candidates[1].loss).toContain('seed=dropped')
    expect(route.candidates[1].losses).toContainEqual({ feature: 'seed', kind: 'dropped', field: null })
    expect(open.upstreams.map(({ requests }) => requests.length)).toEqual([0, 0])
  })

  it('does not advance the rotation of credentials', async () => {
    const two = channelYaml({
      format: 'chat',
      origin: 'http://127.0.0.1:9',
      models: ['m'],
    }).replace(/api_key: .*/, 'api_keys: [first-key, second-key]')
    await using gateway = await startGateway(two + allowed)
    const credentials: string[] = []
    for (let turn = 0; turn < 2; turn += 1) {
      const { route } = await askDry({ gateway })
      credentials.push(route.candidates[0].credential)
    }
    expect(credentials).toEqual(['chat#1', 'chat#1'])
  })

  it('sorts by the prices of today, if they have dates', async () => {
    const prices = '[{ input: 1, output: 1 }, { effective_from: 2026-01-01, input: 9, output: 9 }]'
    const channel = (name: string, price: string) =>
      ({
        name,
        format: 'chat',
        origin: 'http://127.0.0.1:9',
        models: ['m'],
        more: `prices: { m: ${price} }`,
      }) as const
    const yaml = channelYaml(channel('was-cheap', prices), channel('is-cheap', '{ input: 5, output: 5 }'))
    await using gateway = await startGateway(`${yaml}models: { m: { strategy: cheapest } }\n${allowed}`)
    const { route } = await askDry({ gateway })
    expect(route.candidates.map(({ channel }: { channel: string }) => channel)).toEqual([
      'is-cheap',
      'was-cheap',
    ])
  })

  it('reports nothing to any other key, in the format of its path, and makes no call', async () => {
    await using open = await openGateway({ scripts: [good] })
    expect(await askDry(open)).toMatchObject({
      status: 403,
      route: { error: { type: 'permission_error', code: 'dry_run_not_permitted' } },
    })
    expect(await askDry(open, '/v1/messages')).toMatchObject({
      status: 403,
      route: { type: 'error', error: { type: 'permission_error', code: 'dry_run_not_permitted' } },
    })
    expect(open.upstreams[0]?.requests).toHaveLength(0)
  })

  it('is the only request that the admin token may make on the paths of callers', async () => {
    await using open = await openGateway({ scripts: [good] })
    const answer = await fetch(`${open.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testAdminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages }),
    })
    expect(answer.status).toBe(401)
    expect(open.upstreams[0]?.requests).toHaveLength(0)
  })
})

describe('a conversation', () => {
  it('stays with one of several equal targets, while different conversations are spread over them', async () => {
    const more = 'models:\n  m: {}\n'
    await using open = await openGateway({
      scripts: [good, good],
      firstMore: 'weight: 1',
      more,
      samePriority: true,
    })
    const channels = new Map<string, Set<string>>()
    for (const session of Array.from({ length: 24 }, (_, index) => `session-${index}`)) {
      for (let turn = 0; turn < 3; turn += 1) {
        const answer = await fetch(`${open.gateway.url}/v1/chat/completions`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${testKey}`,
            'content-type': 'application/json',
            'x-session-id': session,
          },
          body: JSON.stringify({ model: 'm', messages }),
        })
        await answer.text()
        const seen = channels.get(session) ?? new Set()
        channels.set(session, seen.add(answer.headers.get('x-headgate-channel') ?? ''))
      }
    }
    expect([...channels.values()].map(({ size }) => size)).toEqual(Array.from({ length: 24 }, () => 1))
    expect(new Set([...channels.values()].flatMap((one) => [...one])).size).toBe(2)
  })
})

describe('a stream that breaks after content, under recovery.mid_stream: verified', () => {
  const verified = 'retry: { same_target: 0 }\nrecovery: { mid_stream: verified }\n'
  const streamed = { model: 'm', messages, stream: true }
  const cut = sseAnswer([role, words('Once '), words('upon')], 'reset')

  it('continues if another target repeats the content, and is whole', async () => {
    const again = sseAnswer([
      role,
      words('Once up'),
      words('on a time'),
      chunk({}, 'stop'),
      'data: [DONE]\n\n',
    ])
    await using open = await openGateway({ scripts: [cut, again], more: verified })
    const answer = await ask({ url: open.gateway.url, format: 'chat' }, streamed)
    expect([answer.status, answer.isCut]).toEqual([200, false])
    expect(contentOf(answer.body)).toBe('Once upon a time')
    expect(answer.body.toString().endsWith('data: [DONE]\n\n')).toBe(true)
    expect(answer.body.toString()).not.toContain('"error"')
  })

  it('ends with an error event if the other target deviates, and shows nothing of that', async () => {
    const other = sseAnswer([role, words('There was'), chunk({}, 'stop'), 'data: [DONE]\n\n'])
    await using open = await openGateway({ scripts: [cut, other], more: verified })
    const answer = await ask({ url: open.gateway.url, format: 'chat' }, streamed)
    expect(contentOf(answer.body)).toBe('Once upon')
    expect(answer.body.toString()).toContain('upstream_disconnected')
    expect(answer.body.toString()).not.toContain('[DONE]')
    expect(answer.isCut).toBe(true)
  })

  it('continues in the caller’s format if the other channel has another', async () => {
    const text = (words: string) =>
      `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } })}\n\n`
    const event = (value: { type: string }) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
    const usage = { input_tokens: 3, output_tokens: 4 }
    const message = {
      id: 'msg',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      usage,
    }
    const again = sseAnswer([
      event({ type: 'message_start', message } as { type: string }),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as {
        type: string
      }),
      text('Once upon a'),
      text(' time'),
      event({ type: 'content_block_stop', index: 0 } as { type: string }),
      event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage } as { type: string }),
      event({ type: 'message_stop' }),
    ])
    await using open = await openGateway({
      scripts: [cut, again],
      format: ['chat', 'messages'],
      more: verified,
    })
    const answer = await ask({ url: open.gateway.url, format: 'chat' }, streamed)
    expect(contentOf(answer.body)).toBe('Once upon a time')
    expect(answer.body.toString().endsWith('data: [DONE]\n\n')).toBe(true)
  })
})
