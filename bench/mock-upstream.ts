// A provider that costs as little as possible: it answers chat completions and messages, whole or streamed, at once.
import { createServer } from 'node:http'

const whole = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'bench-upstream',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'The gate lets the water in and measures it. '.repeat(18),
          refusal: null,
        },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 20, completion_tokens: 180, total_tokens: 200 },
  }),
)

function frame(delta: object, finishReason: string | null): string {
  const chunk = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'bench-upstream',
    system_fingerprint: 'fp_bench',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    usage: null,
  }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

interface Frames {
  readonly first: string
  readonly token: string
  readonly last: string
}

const chatFrames: Frames = {
  first: frame({ role: 'assistant', content: '' }, null),
  token: frame({ content: ' water' }, null),
  last: `${frame({}, 'stop')}data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'bench-upstream', choices: [], usage: { prompt_tokens: 20, completion_tokens: 180, total_tokens: 200 } })}\n\ndata: [DONE]\n\n`,
}

function event(data: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}

const message = {
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  model: 'bench-upstream',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 20, output_tokens: 1 },
}
const textDelta = { type: 'text_delta', text: ' water' }
const end = { stop_reason: 'end_turn', stop_sequence: null }

const messagesFrames: Frames = {
  first: [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ]
    .map(event)
    .join(''),
  token: event({ type: 'content_block_delta', index: 0, delta: textDelta }),
  last: [
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: end, usage: { output_tokens: 180 } },
    { type: 'message_stop' },
  ]
    .map(event)
    .join(''),
}

const wholeMessage = Buffer.from(
  JSON.stringify({
    ...message,
    content: [{ type: 'text', text: 'The gate lets the water in and measures it. '.repeat(18) }],
    ...end,
    usage: { input_tokens: 20, output_tokens: 180 },
  }),
)

const delayMs = Number(process.env['DELAY_MS'] ?? 0)
/** The same to within a millisecond, at no cost. */
const roughDelayMs = Number(process.env['ROUGH_DELAY_MS'] ?? 0)

/**
 * Waits to within some microseconds. A timer ends with a whole millisecond of the clock: what a gateway adds before the
 * request comes here would be lost in what is left of the millisecond, or count as a whole one.
 */
function afterExactly(waitMs: number, act: () => void): void {
  const dueAtMs = performance.now() + waitMs
  setTimeout(() => {
    while (performance.now() < dueAtMs);
    act()
  }, waitMs - 2)
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://mock')
  const count = Number(searchParams.get('frames') ?? process.env['FRAMES'] ?? 200)
  const body: Buffer[] = []
  request.on('data', (chunk: Buffer) => body.push(chunk))
  request.on('end', () => {
    const bytes = Buffer.concat(body)
    if (delayMs > 0) afterExactly(delayMs, () => answer(bytes))
    else if (roughDelayMs > 0) setTimeout(() => answer(bytes), roughDelayMs)
    else answer(bytes)
  })

  function answer(bytes: Buffer): void {
    // The relay passes the request unchanged and the gateway may add usage; both ask for a stream in the same words.
    if (bytes.includes('"stream":true')) stream(pathname.endsWith('/messages') ? messagesFrames : chatFrames)
    else answerWhole(pathname.endsWith('/messages') ? wholeMessage : whole)
  }

  function answerWhole(answer: Buffer): void {
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
      .end(answer)
  }

  function stream({ first, token, last }: Frames): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(first)
    let sent = 0
    // `setImmediate` is as exact as the wait before it.
    if (delayMs > 0) {
      sent += 1
      setImmediate(() => response.write(token))
    }
    // One frame each turn of the loop, so that each is a chunk of its own on the wire.
    const timer = setInterval(() => {
      if (sent < count) {
        sent += 1
        response.write(token)
        return
      }
      clearInterval(timer)
      response.end(last)
    }, 1)
    response.on('close', () => clearInterval(timer))
  }
})

server.keepAliveTimeout = 60_000
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})
