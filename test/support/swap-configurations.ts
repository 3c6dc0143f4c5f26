import { type Asked, ask, isTerminated } from './ask.ts'
import { createAskAdmin } from './ask-admin.ts'
import { openScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.ts'
import { testAdminToken, testKey } from './start-gateway.ts'
import { startProcess } from './start-process.ts'

export interface SwapCounts {
  readonly swaps: number
  readonly requests: number
  /** The number of channels that answered: every swap puts others in place. */
  readonly channels: number
  /** Requests that were not answered with 200 and a whole answer, and why. */
  readonly failures: readonly string[]
  /** Streams that were open while a configuration took over. */
  readonly liveStreams: number
  /** The live streams that did not end whole, or that left the channel that they began on. */
  readonly cutStreams: readonly string[]
}

export interface SwapPlan {
  readonly swaps: number
  /** Requests in progress at one time. */
  readonly callers: number
  /** Streams that are open all the while, each as long as all swaps take. */
  readonly streams: number
}

const frame = (text: string) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })}\n\n`
const ending =
  'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
const messages = [{ role: 'user', content: 'Hello' }]

/**
 * Changes the configuration of a running gateway again and again, by turns through the admin API and by the file and
 * SIGHUP, while callers ask without a pause and streams are open. Every change moves the model to another channel.
 */
export async function swapConfigurations({ swaps, callers, streams }: SwapPlan): Promise<SwapCounts> {
  const over = Promise.withResolvers<void>()
  await using upstreams = await openUpstreams(over.promise)
  const file = (turn: number) => fileOf(turn, upstreams.origins)
  await using gateway = await startProcess(
    file(0),
    {},
    { environment: { HEADGATE_ADMIN_TOKEN: testAdminToken } },
  )
  const admin = createAskAdmin(gateway.url)
  const position = { url: gateway.url, format: 'chat' } as const
  const failures: string[] = []
  const channels = new Set<unknown>()
  let isOver = false
  let requests = 0
  let nextAnswer = Promise.withResolvers<void>()

  const call = async () => {
    while (!isOver) {
      requests += 1
      const answer = await ask(position, { model: 'm', stream: requests % 2 === 0, messages })
      channels.add(answer.headers['x-headgate-channel'])
      const failure = judge(answer)
      if (failure !== undefined) failures.push(failure)
      nextAnswer.resolve()
      nextAnswer = Promise.withResolvers<void>()
    }
  }
  const live = Array.from({ length: streams }, () => {
    const begun = Promise.withResolvers<void>()
    const answer = ask(
      position,
      { model: 'long', stream: true, messages },
      { onBytes: () => begun.resolve() },
    )
    return { begun: begun.promise, answer }
  })
  await Promise.all(live.map(({ begun }) => begun))
  const calling = Array.from({ length: callers }, call)
  for (let turn = 1; turn <= swaps; turn += 1) {
    if (turn % 2 === 0) await reloadFile(gateway, file(turn))
    else await changeByApi(admin, turn, upstreams.origins)
    await nextAnswer.promise
  }
  isOver = true
  await Promise.all(calling)
  over.resolve()
  const ended = await Promise.all(live.map(({ answer }) => answer))
  const cutStreams = ended.flatMap((answer) => judge(answer) ?? [])
  return { swaps, requests, channels: channels.size, failures, liveStreams: live.length, cutStreams }
}

async function reloadFile(gateway: Awaited<ReturnType<typeof startProcess>>, text: string): Promise<void> {
  const said = await gateway.reload(text)
  if (said.includes('not reloaded')) throw new Error(said)
}

/** One change in three is taken back at once by another version. */
async function changeByApi(
  admin: ReturnType<typeof createAskAdmin>,
  turn: number,
  origins: readonly string[],
): Promise<void> {
  const body = { document: apiDocument(turn, origins) }
  const { status, text } = await admin('PUT', '/config', { body })
  if (status !== 200) throw new Error(text)
  if (turn % 3 !== 0) return
  const undone = await admin('POST', '/config/undo')
  if (undone.status !== 200) throw new Error(undone.text)
}

function fileOf(turn: number, [one = '', two = '']: readonly string[]): string {
  const channel = (name: string, origin: string, models: string) =>
    `  - { name: ${name}, provider: openai-compatible, base_url: "${origin}/v1", models: ${models}, allow_private: true }\n`
  return [
    'admin: { allow_private: true }\nlog: { level: silent }\n',
    `keys: [{ name: k, secret: ${testKey} }]\n`,
    'channels:\n',
    channel(`file-${turn}`, turn % 4 === 0 ? one : two, '[m]'),
    // The channel of the live streams comes and goes; who began on it ends on it.
    turn % 4 === 0 ? channel('live', one, '[long]') : '',
    `retry: { attempts: ${1 + (turn % 5)} }\n`,
  ].join('')
}

function apiDocument(turn: number, [one = '', two = '']: readonly string[]): object {
  return {
    channels: [
      {
        name: `api-${turn}`,
        provider: 'openai-compatible',
        base_url: `${turn % 4 === 1 ? one : two}/v1`,
        api_key: `sk-swap-secret-${turn}`,
        models: ['m'],
        allow_private: true,
        // The channel stands before the channels of the file and behind them in turn.
        priority: turn % 4 === 1 ? 1 : -1,
      },
    ],
    models: { alias: { targets: [`api-${turn}/m`] } },
    limits: { connections: 1_000 + turn },
  }
}

function judge({ status, body, isCut }: Asked): string | undefined {
  const text = body.toString('utf8')
  if (status !== 200) return `${status} ${text.slice(0, 200)}`
  if (isCut) return 'the connection broke'
  if (text.startsWith('data:'))
    return isTerminated('chat', text) ? undefined : `no terminator: ${text.slice(-200)}`
  return text.includes('"chat.completion"') ? undefined : `not whole: ${text.slice(0, 200)}`
}

interface Upstreams extends AsyncDisposable {
  readonly origins: readonly string[]
}

/** `long` streams until it is over; everything else is answered at once. */
async function openUpstreams(over: Promise<void>): Promise<Upstreams> {
  const answer = ({ body }: { readonly body: Buffer }) => {
    const asked: { model?: string; stream?: boolean } = JSON.parse(body.toString('utf8'))
    const stream = { headers: { 'content-type': 'text/event-stream' } }
    if (asked.model === 'long')
      return { ...stream, chunks: [frame('begun'), over, frame(' and ended'), ending] }
    if (asked.stream === true) return { ...stream, chunks: [frame('hello'), ending] }
    const choices = [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }]
    const whole = { id: 'x', object: 'chat.completion', created: 1, model: 'm', choices }
    return { headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(whole)] }
  }
  const upstreams: ScriptedUpstream[] = [
    await openScriptedUpstream(answer),
    await openScriptedUpstream(answer),
  ]
  return {
    origins: upstreams.map(({ origin }) => origin),
    async [Symbol.asyncDispose]() {
      await Promise.all(upstreams.map((upstream) => upstream.close()))
    },
  }
}
