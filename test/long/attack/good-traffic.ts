// Callers who do nothing wrong, at a fixed rate, and the upstream that serves them: what is hostile must not
// reach them.
import { once } from 'node:events'
import { Agent, createServer, request as send } from 'node:http'

export interface GoodUpstream {
  readonly origin: string
  close(): void
}

const WORDS = Array.from({ length: 20 }, (_, index) => `word${index} `)
const TEXT = WORDS.join('')

/** Speaks the chat and the messages format, streamed and whole, at once. */
export async function openGoodUpstream(): Promise<GoodUpstream> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const isStream = Buffer.concat(chunks).includes('"stream":true')
      const isMessages = request.url?.endsWith('/messages') === true
      response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json')
      if (isMessages) response.end(isStream ? messagesStream() : messagesAnswer())
      else response.end(isStream ? chatStream() : chatAnswer())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function chatStream(): string {
  const chunk = (choice: object) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }] })}\n\n`
  const words = WORDS.map((content) => chunk({ delta: { content }, finish_reason: null }))
  return `${words.join('')}${chunk({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`
}

function chatAnswer(): string {
  const message = { role: 'assistant', content: TEXT }
  return JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 20, total_tokens: 23 },
  })
}

function messagesStream(): string {
  const event = (type: string, more: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null }
  return [
    event('message_start', { message: { ...message, usage: { input_tokens: 3, output_tokens: 1 } } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...WORDS.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 20 } }),
    event('message_stop', {}),
  ].join('')
}

function messagesAnswer(): string {
  return JSON.stringify({
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: TEXT }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 20 },
  })
}

export interface GoodFigures {
  readonly asked: number
  readonly answered: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly slowestMs: number
  /** The first few that were not answered whole. */
  readonly wrong: readonly string[]
}

const BETWEEN_MS = 50

/** Sends a request each 50 ms until the signal; every answer is read to its end and compared with what was said. */
export async function runGoodTraffic(port: number, key: string, until: AbortSignal): Promise<GoodFigures> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const timesMs: number[] = []
  const wrong: string[] = []
  const open = new Set<Promise<void>>()
  for (let asked = 0; !until.aborted; asked += 1) {
    const startedAtMs = performance.now()
    const model = asked % 2 === 0 ? 'good-chat' : 'good-messages'
    const asking = ask({ port, key, agent, model, stream: asked % 4 < 2 }).then((answer) => {
      timesMs.push(performance.now() - startedAtMs)
      if (answer !== TEXT) wrong.push(answer.slice(0, 300))
    })
    open.add(asking)
    void asking.finally(() => open.delete(asking))
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS))
  }
  await Promise.all(open)
  agent.destroy()
  const sorted = timesMs.toSorted((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return {
    asked: timesMs.length,
    answered: timesMs.length - wrong.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    slowestMs: at(1),
    wrong: wrong.slice(0, 5),
  }
}

interface Asked {
  readonly port: number
  readonly key: string
  readonly agent: Agent
  readonly model: string
  readonly stream: boolean
}

/** The text of the answer, or what came in its stead. */
function ask({ port, key, agent, model, stream }: Asked): Promise<string> {
  const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'go' }] })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return new Promise((resolve) => {
    const request = send({
      host: '127.0.0.1',
      port,
      path: '/v1/chat/completions',
      method: 'POST',
      agent,
      headers,
    })
    request.setTimeout(30_000, () => request.destroy(new Error('no answer in 30 s')))
    request.on('error', (error) => resolve(`error: ${error.message}`))
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', (error) => resolve(`cut: ${error.message}`))
      response.on('end', () =>
        resolve(readAnswer(Buffer.concat(chunks).toString(), stream, response.statusCode)),
      )
    })
    request.end(body)
  })
}

function readAnswer(body: string, stream: boolean, status: number | undefined): string {
  if (status !== 200) return `${status}: ${body}`
  if (!stream) return JSON.parse(body).choices[0].message.content
  if (!body.endsWith('data: [DONE]\n\n')) return `no terminator: ${body.slice(-300)}`
  const frames = body.split('\n\n').filter((frame) => frame.startsWith('data: {'))
  return frames.map((frame) => JSON.parse(frame.slice(6)).choices[0]?.delta.content ?? '').join('')
}
