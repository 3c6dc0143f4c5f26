import { GoogleGenAI, type LiveServerMessage, Modality, type Session } from '@google/genai'
import { describe, expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { type LiveScript, liveUsage, openLiveUpstream } from '../support/live-upstream.ts'
import { refusedHandshake } from '../support/socket-client.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const key = 'sk-live-0123456789abcdef'
const upstreamKey = 'sk-upstream-0123456789'
const livePath = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'
/** US dollars for a million tokens. */
const price =
  'input: 4, input_audio: 32, output: 16, output_audio: 64, tool_calls: { web_search: 14, google_maps: 25 }'

interface Plan {
  readonly script?: LiveScript
  readonly keyMore?: string
  readonly second?: string
}

async function open({ script, keyMore = '', second = '' }: Plan = {}) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openLiveUpstream(script))
  const channel = (name: string, origin: string, rank: number) => `
  - name: ${name}
    provider: gemini
    base_url: "${origin}/v1beta"
    api_key: ${upstreamKey}
    allow_private: true
    priority: ${rank}
    models: { voice: gemini-live-x }
    prices: { voice: { ${price} } }`
  const gateway = cleanup.use(
    await startGateway(`keys:
  - { name: ci, secret: ${key}, ${keyMore} }
channels:${second === '' ? '' : channel('first', second, 2)}${channel('live', upstream.origin, 1)}
models: { voice: { max_output_tokens: 1000, context_window: 4000 } }
`),
  )
  const opened = cleanup.move()
  const admin = createAskAdmin(gateway.url)
  return {
    gateway,
    upstream,
    connect: (options: { model?: string; config?: object; apiKey?: string } = {}) =>
      connectLive(gateway.url, options),
    async rows(count: number) {
      const read = async () =>
        listOf(fieldsOf((await admin('GET', '/ledger?limit=100')).body)['data']).map(fieldsOf)
      await expect.poll(async () => (await read()).filter(({ state }) => state !== 'void').length).toBe(count)
      return (await read()).filter(({ state }) => state !== 'void').toReversed()
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** A session of Google's own client, with what it hears. */
async function connectLive(
  url: string,
  { model = 'voice', config = {}, apiKey = key }: { model?: string; config?: object; apiKey?: string },
) {
  const heard: LiveServerMessage[] = []
  let closedWith: readonly [number, string] | undefined
  const ai = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } })
  const session: Session = await ai.live.connect({
    model,
    config: { responseModalities: [Modality.TEXT], ...config },
    callbacks: {
      onmessage: (message) => heard.push(message),
      onclose: ({ code, reason }) => {
        closedWith = [code, reason]
      },
    },
  })
  const turns = () => heard.filter(({ serverContent }) => serverContent?.turnComplete === true).length
  return {
    session,
    heard,
    say: (text: string) => session.sendClientContent({ turns: text, turnComplete: true }),
    turns: (count: number) => expect.poll(turns).toBe(count),
    closed: async () => {
      await expect.poll(() => closedWith).toBeDefined()
      return closedWith
    },
    [Symbol.dispose]: () => session.close(),
  }
}

describe('a Live session of Gemini', () => {
  it('serves Google’s own client, with the credential and the model of the channel', async () => {
    await using opened = await open()
    using client = await opened.connect({ config: { systemInstruction: 'Be brief.' } })
    client.say('Hi')
    await client.turns(1)
    expect(client.heard.map(({ serverContent }) => serverContent?.modelTurn?.parts?.[0]?.text)).toContain(
      'Hello',
    )
    const { request, messages } = await opened.upstream.session(0)
    expect([request.url, request.headers['x-goog-api-key']]).toEqual([livePath, upstreamKey])
    expect(messages[0]).toMatchObject({
      setup: { model: 'models/gemini-live-x', generationConfig: { responseModalities: ['TEXT'] } },
    })
    expect(JSON.stringify(messages)).not.toContain(key)
  })

  it('shows no id of the provider', async () => {
    await using opened = await open()
    using client = await opened.connect()
    client.say('Hi')
    await client.turns(1)
    const shown = JSON.stringify([client.heard, client.session])
    for (const id of ['session-of-provider', 'handle-of-provider', 'gemini-live-x', upstreamKey])
      expect(shown).not.toContain(id)
  })

  it('has a row for each response, with its usage classes', async () => {
    await using opened = await open()
    using client = await opened.connect()
    client.say('One')
    await client.turns(1)
    client.say('Two')
    await client.turns(2)
    // In: 120 at 4 and 80 at 32. Out: 40 of text and 20 of thoughts at 16, 60 at 64. Dollars for a million.
    const dollars = (120 * 4 + 80 * 32 + 60 * 16 + 60 * 64) / 1e6
    const rows = await opened.rows(2)
    expect(rows).toMatchObject([
      { state: 'settled', charged_usd: dollars, key: 'ci', channel: 'live' },
      { state: 'settled', charged_usd: dollars, key: 'ci', channel: 'live' },
    ])
  })

  it('is charged by its usage if the provider leaves the thoughts out of the total', async () => {
    await using opened = await open({ script: { usage: { ...liveUsage, totalTokenCount: 300 } } })
    using client = await opened.connect()
    client.say('Hi')
    await client.turns(1)
    const dollars = (120 * 4 + 80 * 32 + 60 * 16 + 60 * 64) / 1e6
    expect(await opened.rows(1)).toMatchObject([{ state: 'settled', charged_usd: dollars }])
  })

  it('bills the searches of each response', async () => {
    await using opened = await open({ script: { isManual: true } })
    using client = await opened.connect({ config: { tools: [{ googleSearch: {} }] } })
    const provider = await opened.upstream.session(0)
    const answer = (turn: number, ...queries: readonly string[]) => {
      provider.send({ serverContent: { modelTurn: { parts: [{ text: 'Hi' }] } } })
      for (const webSearchQueries of [queries, queries])
        provider.send({ serverContent: { groundingMetadata: { webSearchQueries } } })
      provider.send({ serverContent: { turnComplete: true }, usageMetadata: liveUsage })
      return client.turns(turn)
    }
    client.say('One')
    await answer(1, 'gates', 'doors')
    client.say('Two')
    await answer(2)
    const dollars = (120 * 4 + 80 * 32 + 60 * 16 + 60 * 64) / 1e6
    expect(await opened.rows(2)).toMatchObject([
      { charged_usd: dollars + 2 * 0.014, usage: { tool_calls: { web_search: 2 } } },
      { charged_usd: dollars, usage: { tool_calls: {} } },
    ])
  })

  it('bills the response before a function’s answer apart from the one after it', async () => {
    await using opened = await open({ script: { isManual: true } })
    using client = await opened.connect()
    const provider = await opened.upstream.session(0)
    client.say('What time is it?')
    await provider.next('clientContent')
    provider.send({ toolCall: { functionCalls: [{ id: 'call-1', name: 'clock', args: {} }] } })
    provider.send({ usageMetadata: { promptTokenCount: 10, responseTokenCount: 5, totalTokenCount: 15 } })
    await expect.poll(() => client.heard.some(({ toolCall }) => toolCall !== undefined)).toBe(true)
    await expect.poll(() => client.heard.some(({ usageMetadata }) => usageMetadata !== undefined)).toBe(true)
    client.session.sendToolResponse({
      functionResponses: [{ id: 'call-1', name: 'clock', response: { time: 'noon' } }],
    })
    await provider.next('toolResponse')
    provider.send({ serverContent: { modelTurn: { parts: [{ text: 'Noon' }] } } })
    provider.send({
      serverContent: { turnComplete: true },
      usageMetadata: { promptTokenCount: 20, responseTokenCount: 2, totalTokenCount: 22 },
    })
    await client.turns(1)
    expect(await opened.rows(2)).toMatchObject([
      { charged_usd: (10 * 4 + 5 * 16) / 1e6 },
      { charged_usd: (20 * 4 + 2 * 16) / 1e6 },
    ])
  })

  it('moves to the next channel if the first does not connect', async () => {
    await using first = await openLiveUpstream({ refuses: 503 })
    await using opened = await open({ second: first.origin })
    using client = await opened.connect()
    client.say('Hi')
    await client.turns(1)
    expect([first.refusals, opened.upstream.sessions.length]).toEqual([1, 1])
  })

  it.each([
    [1008, 'models/inner is not found for API version v1beta'],
    [1007, 'API key not valid. Please pass a valid API key.'],
    [1011, 'Internal error encountered.'],
    [1001, ''],
  ])('moves to the next channel if the first refuses the setup with %i %s', async (refusesSetup, refusal) => {
    await using first = await openLiveUpstream({ refusesSetup, refusal })
    await using opened = await open({ second: first.origin })
    using client = await opened.connect({ config: { systemInstruction: 'Be brief.' } })
    client.say('Hi')
    await client.turns(1)
    expect([first.sessions.length, opened.upstream.sessions.length]).toEqual([1, 1])
    const provider = await opened.upstream.session(0)
    expect(provider.messages[0]).toMatchObject({ setup: { systemInstruction: expect.anything() } })
    expect(client.heard.filter(({ setupComplete }) => setupComplete !== undefined)).toHaveLength(1)
    expect(await opened.rows(1)).toMatchObject([{ channel: 'live', state: 'settled' }])
  })

  it('moves to the next channel if the first sends messages and does not complete the setup', async () => {
    await using first = await openLiveUpstream({ early: 1_000 })
    await using opened = await open({ second: first.origin })
    using _client = await opened.connect()
    expect([first.sessions.length, opened.upstream.sessions.length]).toEqual([1, 1])
  })

  it('stays on the first channel if that reports a wrong setup', async () => {
    await using first = await openLiveUpstream({ refusesSetup: 1007, refusal: 'invalid argument' })
    await using opened = await open({ second: first.origin })
    await expect(opened.connect()).rejects.toThrow('1008')
    expect([first.sessions.length, opened.upstream.sessions.length]).toEqual([1, 0])
  })

  it('ends with a reason if the provider breaks off, and is charged the reserved amount', async () => {
    await using opened = await open({ script: { isManual: true } })
    using client = await opened.connect()
    const provider = await opened.upstream.session(0)
    client.say('Hi')
    await provider.next('clientContent')
    provider.send({ serverContent: { modelTurn: { parts: [{ text: 'Hel' }] } } })
    await expect.poll(() => client.heard.length).toBe(2)
    provider.socket.terminate()
    expect(await client.closed()).toEqual([1011, expect.stringContaining('upstream_disconnected')])
    expect(await opened.rows(1)).toMatchObject([{ state: 'estimated' }])
  })

  it('bills the usage of a response whose caller has disconnected', async () => {
    await using opened = await open({ script: { isManual: true } })
    const client = await opened.connect()
    const provider = await opened.upstream.session(0)
    client.say('Hi')
    await provider.next('clientContent')
    provider.send({ serverContent: { modelTurn: { parts: [{ text: 'Hel' }] } } })
    await expect.poll(() => client.heard.length).toBe(2)
    client.session.close()
    await client.closed()
    provider.send({
      serverContent: { turnComplete: true },
      usageMetadata: { promptTokenCount: 10, responseTokenCount: 5, totalTokenCount: 15 },
    })
    await provider.closed
    expect(await opened.rows(1)).toMatchObject([{ state: 'settled', charged_usd: (10 * 4 + 5 * 16) / 1e6 }])
  })

  it('continues while the gateway drains, and ends with goAway', async () => {
    await using opened = await open()
    using client = await opened.connect()
    const closing = opened.gateway.close(300)
    client.say('Hi')
    await client.turns(1)
    expect(await client.closed()).toEqual([1001, expect.stringContaining('shutting_down')])
    expect(client.heard.at(-1)).toMatchObject({ goAway: {} })
    await closing
  })
})

describe('a refusal of a Live session', () => {
  it('comes before its connection becomes a WebSocket, without a key or with an unknown one', async () => {
    await using opened = await open()
    const refused = await refusedHandshake(opened.gateway.url, {
      key: '',
      path: `${livePath}?key=sk-unknown-0123456`,
    })
    expect([refused.status, opened.upstream.sessions.length]).toEqual([401, 0])
    expect((await refusedHandshake(opened.gateway.url, { key: '', path: livePath })).status).toBe(401)
  })

  it.each<[string, { model?: string; config?: object }, string]>([
    ['for a model that is not served', { model: 'nothing' }, 'model_not_found'],
    ['for a handle, which names no key', { config: { sessionResumption: { handle: 'h' } } }, 'invalid_field'],
    [
      'for a file, which another key may own',
      {
        config: {
          systemInstruction: { parts: [{ fileData: { fileUri: 'files/a', mimeType: 'text/plain' } }] },
        },
      },
      'invalid_field',
    ],
  ])('comes with a reason in its close frame, %s', async (_, options, code) => {
    await using opened = await open()
    await expect(opened.connect(options)).rejects.toThrow(code)
    expect(opened.upstream.sessions.length).toBe(0)
  })

  it('has a reason without the provider’s model name, if the provider refuses the setup', async () => {
    await using opened = await open({ script: { refusesSetup: 1007 } })
    const refused = opened.connect()
    await expect(refused).rejects.toThrow('1008')
    await expect(refused).rejects.not.toThrow('models/inner')
  })
})

describe('the budget of a Live session', () => {
  const exact = (dollars: number) =>
    `budgets: [{ limit_usd: ${dollars}, window: month, mode: exact, at_limit: refuse }]`

  it('is reserved before the provider is connected', async () => {
    await using opened = await open({ keyMore: exact(0.01) })
    await expect(opened.connect()).rejects.toThrow('budget_exceeded')
    expect(opened.upstream.sessions.length).toBe(0)
  })

  it('limits the output of each response', async () => {
    await using opened = await open({ keyMore: exact(1) })
    using _client = await opened.connect({ config: { maxOutputTokens: 5_000 } })
    const provider = await opened.upstream.session(0)
    expect(await provider.next('setup')).toMatchObject({
      setup: { generationConfig: { maxOutputTokens: 1_000, responseModalities: ['TEXT'] } },
    })
  })

  it('ends the session before a response that no longer fits, and never overspends', async () => {
    const usage = {
      promptTokenCount: 500,
      responseTokenCount: 1_000,
      totalTokenCount: 1_500,
      responseTokensDetails: [{ modality: 'AUDIO', tokenCount: 1_000 }],
    }
    await using opened = await open({ script: { usage }, keyMore: exact(1) })
    using client = await opened.connect()
    let isClosed = false
    const closed = client.closed().then((end) => {
      isClosed = true
      return end
    })
    for (let turn = 1; turn < 40 && !isClosed; turn += 1) {
      client.say(`Turn ${turn}`)
      const count = () =>
        isClosed || client.heard.filter(({ serverContent }) => serverContent?.turnComplete).length >= turn
      await expect.poll(count).toBe(true)
    }
    expect(await closed).toEqual([1008, expect.stringContaining('budget_exceeded')])
    const done = client.heard.filter(({ serverContent }) => serverContent?.turnComplete).length
    const rows = (await opened.rows(done)).map(({ charged_usd }) => Math.round(Number(charged_usd) * 1e9))
    // 500 at 4 dollars and 1,000 at 64 dollars for a million.
    expect(new Set(rows)).toEqual(new Set([66_000_000]))
    expect(rows.reduce((sum, amount) => sum + amount, 0)).toBeLessThanOrEqual(1e9)
    expect(rows.length).toBeGreaterThan(5)
  })

  it('excludes tools that the provider runs, which no reservation covers', async () => {
    await using opened = await open({ keyMore: exact(1) })
    await expect(opened.connect({ config: { tools: [{ googleSearch: {} }] } })).rejects.toThrow(
      'field_not_allowed',
    )
  })

  it('delays the caller’s messages above a rate limit, and ends nothing', async () => {
    await using opened = await open({ keyMore: 'rate: { rpm: 60, burst: 2 }' })
    using client = await opened.connect()
    const startedAtMs = performance.now()
    for (const turn of [1, 2, 3]) {
      client.say(`Turn ${turn}`)
      await client.turns(turn)
    }
    // The third turn has to wait until a second after the first one, less the rounding of timers.
    expect(performance.now() - startedAtMs).toBeGreaterThan(990)
    await opened.rows(3)
  })
})

it('a response takes its output from the token limits', async () => {
  needsOneProcess('the debt of a limit is the one of the process that has the session')
  await using opened = await open({ keyMore: 'rate: { output_tpm: 10 }' })
  using client = await opened.connect()
  client.say('Hi')
  await opened.rows(1)
  // The response has 120 tokens of output, and a token takes 6 seconds.
  expect(await resetMs(opened.gateway.url)).toBeGreaterThan(100 * 6_000)
})

it('a response without usage takes an estimate of its output from the token limits', async () => {
  needsOneProcess('the debt of a limit is the one of the process that has the session')
  await using opened = await open({ keyMore: 'rate: { output_tpm: 1 }', script: { usage: {} } })
  using client = await opened.connect()
  client.say('Hi')
  await expect.poll(() => resetMs(opened.gateway.url)).toBeGreaterThan(0)
})

/** The time after which the first rate limit of the key is at its full amount again. */
async function resetMs(url: string): Promise<number> {
  const answer = await fetch(`${url}/v1/key`, { headers: { authorization: `Bearer ${key}` } })
  const [limit] = listOf(fieldsOf(fieldsOf(await answer.json())['data'])['rate_limits'])
  return Number(fieldsOf(limit)['resets_in_ms'])
}

it('the demo answers a Live session', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]')
  using client = await connectLive(gateway.url, { model: 'demo-chat', apiKey: testKey })
  client.say('Hello there')
  await client.turns(1)
  const words = client.heard.flatMap(({ serverContent }) => serverContent?.modelTurn?.parts ?? [])
  expect(words.map(({ text }) => text).join('')).toBe('You said: Hello there')
  client.session.sendRealtimeInput({
    audio: { data: Buffer.alloc(32_000).toString('base64'), mimeType: 'audio/pcm;rate=16000' },
  })
  client.session.sendRealtimeInput({ audioStreamEnd: true })
  await client.turns(2)
  expect(client.heard.at(-1)?.usageMetadata?.promptTokensDetails).toContainEqual({
    modality: 'AUDIO',
    tokenCount: 33,
  })
})
