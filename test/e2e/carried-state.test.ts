import { connect, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { createChatAgent } from '../support/long-conversation/chat-agent.ts'
import { createStrictUpstream } from '../support/long-conversation/create-strict-upstream.ts'
import { restrictToConversationChannels } from '../support/long-conversation/plan-conversation.ts'
import { playConversation } from '../support/long-conversation/play-conversation.ts'
import { anthropicOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { fieldsOf, listOf } from '../support/second-reader/meaning.ts'
import { startGateway } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const ENCRYPTED = 'gAAAAABencrypted'
const answer = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-5.2',
  output: [
    {
      type: 'reasoning',
      id: 'rs_1',
      encrypted_content: ENCRYPTED,
      summary: [{ type: 'summary_text', text: 'Hm.' }],
    },
    { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}', status: 'completed' },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
}
const tools = [{ name: 'f', input_schema: { type: 'object' as const, properties: {} } }]
const asked = { role: 'user' as const, content: 'Hi' }
const secondKey = 'sk-second-0123456789abcdef'

function open() {
  return openGateway({
    format: 'responses',
    provider: 'openai',
    upstreamModel: 'gpt-5.2',
    scripts: [jsonAnswer(answer)],
    more: `keys: [{ name: one, secret: sk-test-0123456789abcdef, models: ["*"] }, { name: two, secret: ${secondKey}, models: ["*"] }]\n`,
  })
}

type Open = Awaited<ReturnType<typeof open>>

/** The reasoning that the upstream got in its last request. */
function reasoningSent({ upstreams }: Open): readonly unknown[] {
  const body: unknown = JSON.parse(String(upstreams[0]?.requests.at(-1)?.body))
  return listOf(fieldsOf(body)['input']).filter((item) => fieldsOf(item)['type'] === 'reasoning')
}

/** Asks once, and once more with the answer as `change` leaves it. */
async function askTwice(
  opened: Open,
  { change = (text: string) => text, apiKey = 'sk-test-0123456789abcdef', headers = {} } = {},
) {
  const body = { model: 'm', max_tokens: 100, tools, messages: [asked] }
  const first = await anthropicOf(opened).messages.create(body)
  const content = JSON.parse(change(JSON.stringify(first.content)))
  const result = { type: 'tool_result' as const, tool_use_id: 'c1', content: 'r' }
  const messages = [
    asked,
    { role: 'assistant' as const, content },
    { role: 'user' as const, content: [result] },
  ]
  const { response } = await anthropicOf(opened, { apiKey })
    .messages.create({ ...body, messages }, { headers })
    .withResponse()
  return { first, losses: response.headers.get('x-headgate-loss') ?? '' }
}

describe('the proof of reasoning, carried through a caller of another format', () => {
  it('hides the provider’s own value, and returns to the provider unchanged', async () => {
    await using opened = await open()
    const { first, losses } = await askTwice(opened)
    expect(JSON.stringify(first)).not.toContain(ENCRYPTED)
    expect(first.content[0]).toMatchObject({ type: 'thinking', thinking: 'Hm.' })
    const [sent] = reasoningSent(opened)
    expect(sent).toMatchObject({ encrypted_content: ENCRYPTED, summary: [{ text: 'Hm.' }] })
    expect(losses).not.toMatch(/thinking/)
  })

  it.each([
    ['with other words', (text: string) => text.replace('Hm.', 'Ha!')],
    ['with a signature of another service', (text: string) => text.replace(/~headgate[^"]*/, 'RXJ3aW4=')],
    ['with a changed seal', (text: string) => text.replace(/(~headgate\.2\.[^.]*\.)./, '$1_')],
  ])(
    'is omitted %s, the loss is reported, and the provider never refuses the request for it',
    async (_what, change) => {
      await using opened = await open()
      // Another call, so that nothing is found by it.
      const { losses } = await askTwice(opened, { change: (text) => change(text).replace('"f"', '"g"') })
      expect(reasoningSent(opened)).toEqual([])
      expect(losses).toContain('thinking-signature=dropped')
    },
  )

  it('is omitted if another key sends it, and is never found by another key', async () => {
    await using opened = await open()
    const { losses } = await askTwice(opened, { apiKey: secondKey })
    expect(reasoningSent(opened)).toEqual([])
    expect(losses).toContain('thinking-signature=dropped')
    const forgotten = await askTwice(opened, {
      apiKey: secondKey,
      change: (text) => JSON.stringify(JSON.parse(text).slice(1)),
    })
    expect([reasoningSent(opened), forgotten.losses]).toEqual([[], expect.not.stringMatching(/thinking/)])
  })

  it('is found by the calls beside it if the client does not return it', async () => {
    await using opened = await open()
    const found = async () => {
      await askTwice(opened, { change: (text) => JSON.stringify(JSON.parse(text).slice(1)) })
      return reasoningSent(opened)
    }
    // Another process learns of the reasoning a moment later.
    await expect.poll(found).toMatchObject([{ encrypted_content: ENCRYPTED, summary: [{ text: 'Hm.' }] }])
  })

  it('is a 400 under strict translation if it would be omitted', async () => {
    await using opened = await open()
    const change = (text: string) => text.replace('Hm.', 'Ha!').replace('"f"', '"g"')
    const refusal = await refusalOf(askTwice(opened, { change, headers: { 'x-headgate-strict': '1' } }))
    expect(refusal).toMatchObject({
      status: 400,
      error: { error: { code: 'cannot_be_carried', param: 'messages.content.thinking.signature' } },
    })
  })
})

describe('a conversation across a restart of the gateway', () => {
  it.each([
    ['brings its proofs back', 'whole', 1],
    ['goes on without what was kept in memory', 'words', 0],
  ] as const)('%s', async (_what, memory, share) => {
    await using cleanup = new AsyncDisposableStack()
    const folder = makeTemporaryFolder()
    const plan = restrictToConversationChannels(createSeededRandom(3), 12)
    const upstream = createStrictUpstream({ kind: 'messages', plan })
    const { origin } = cleanup.use(await openScriptedUpstream(upstream.script))
    const yaml = channelYaml({ format: 'messages', origin, models: { m: 'claude-opus-4-6' } })
    const door = cleanup.use(await openDoor())
    const terms = { url: door.url, chooseModel: () => 'm', chooseStream: () => true }
    const agent = createChatAgent({ ...terms, memory })
    for (const part of [plan.slice(0, 6), plan.slice(6)]) {
      await using gateway = await startGateway(yaml, folder)
      door.lead(gateway.url)
      await playConversation(agent, part, [])
    }
    const before = upstream.taken
      .slice(0, 6)
      .filter(({ turn }) => plan[turn]?.results.length !== 0)
      .flatMap(({ proved }) => proved)
    expect(upstream.refusals).toEqual([])
    const got = upstream.taken[6]?.request.proofs.filter((proof) => before.includes(proof))
    expect(got).toHaveLength(before.length * share)
  })
})

/** One address for gateways that come one after the other. */
async function openDoor() {
  let port = 0
  const server = createServer((caller) => {
    const gateway = connect(port, '127.0.0.1')
    for (const socket of [caller, gateway]) socket.on('error', () => socket.destroy())
    caller.on('close', () => gateway.destroy())
    gateway.on('close', () => caller.destroy())
    caller.pipe(gateway).pipe(caller)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    lead(url: string) {
      port = Number(new URL(url).port)
    },
    [Symbol.asyncDispose]: () => new Promise<void>((closed) => server.close(() => closed())),
  }
}
