// The requests of hostile callers, one function each. Every one resolves with what was observed, and never throws.
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export interface Target {
  readonly port: number
  readonly adminPort: number
  readonly key: string
}

export interface Attack {
  readonly name: string
  /** The frequency with which it comes in mixed traffic, beside the others. */
  readonly weight: number
  readonly run: (target: Target, random: () => number) => Promise<Seen>
  /** Whether what was seen is what should be. */
  readonly isExpected: (seen: Seen) => boolean
}

export interface Seen {
  /** 0 where no answer came. */
  readonly status: number
  readonly body: string
}

const NOTHING: Seen = { status: 0, body: '' }

/** An error in the caller's form with this status; for streams that had begun, an error event and no terminator. */
const isRefused = ({ status, body }: Seen) =>
  (status >= 400 && body.includes('"error"')) || isCut({ status, body })
const isCut = ({ status, body }: Seen) =>
  status === 200 && body.includes('"error"') && !/\[DONE\]|message_stop|"response\.completed"/.test(body)
const isBadRequest = ({ status, body }: Seen) => status === 400 && body.includes('"error"')
const isRefusedOrWhole = (seen: Seen) => seen.status === 200 || isRefused(seen)

const upstreamFaults: readonly (readonly [model: string, stream: boolean])[] = [
  ['type-object', false],
  ['delay-object', false],
  ['loc-object', false],
  ['loc-deep', false],
  ['unknown-deep', true],
  ['logprobs-deep', false],
  ['reasoning-deep', false],
  ['start-deep', true],
  ['not-json', true],
  ['control-error', false],
]

const compressedFaults = upstreamFaults.flatMap(([model, stream]) =>
  ['gzip', 'deflate', 'br'].map((encoding) => fault(`${model}.${encoding}`, stream)),
)
const plainFaults = upstreamFaults.map(([model, stream]) => fault(model, stream))

function fault(model: string, stream: boolean): Attack {
  return {
    name: `answer ${model}`,
    weight: 1,
    run: (target) => chat(target, model, { stream }),
    isExpected: isRefusedOrWhole,
  }
}

const malformed = [
  '[1 2]',
  '{"a" 1}',
  '01',
  '+1',
  '"\\x"',
  '"\u0000"',
  '"\n"',
  "['a']",
  'Infinity',
  '[1,]',
  '{"a":1,}',
  '/**/1',
  '[1]]',
  '-',
  '1.',
  '.5',
  '1e',
  'nul',
  'True',
  '"\\u12"',
] as const

export const attacks: readonly Attack[] = [
  {
    name: 'CONNECT and reset',
    weight: 20,
    run: async ({ port, adminPort }, random) => {
      await sendAndReset(
        random() < 0.7 ? port : adminPort,
        'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n',
        random() * 50,
      )
      return NOTHING
    },
    isExpected: () => true,
  },
  {
    name: 'CONNECT',
    weight: 5,
    run: ({ port }) => sendRaw(port, 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n'),
    isExpected: ({ status }) => status === 405,
  },
  {
    name: 'upgrade and reset',
    weight: 5,
    run: async ({ port }, random) => {
      const head =
        'GET /v1/responses HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
      await sendAndReset(port, head, random() * 20)
      return NOTHING
    },
    isExpected: () => true,
  },
  ...compressedFaults,
  ...plainFaults,
  { name: 'gzip bomb', weight: 1, run: (target) => chat(target, 'gzip-bomb', {}), isExpected: isRefused },
  ...['gemini-any', 'bedrock-any', 'messages-any'].map(
    (model): Attack => ({
      name: `60,000 messages of one role to ${model}`,
      weight: 1,
      run: (target) => send(target, '/v1/chat/completions', manyMessages(model)),
      isExpected: isRefusedOrWhole,
    }),
  ),
  {
    name: 'stream of 110 MB of tool arguments to a responses caller',
    weight: 1,
    run: (target) => responses(target, 'huge-arguments'),
    isExpected: isRefused,
  },
  {
    name: 'stream of 50,000 tool calls to a messages caller',
    weight: 1,
    run: (target) => messages(target, 'many-calls'),
    isExpected: isRefusedOrWhole,
  },
  {
    name: 'pipelined requests without a key',
    weight: 2,
    run: ({ port }) => pipeline(port, 2_000),
    isExpected: ({ status }) => status === 401 || status === 404,
  },
  ...malformed.map(
    (value): Attack => ({
      name: `body that is not JSON: ${JSON.stringify(value)}`,
      weight: 1,
      run: (target) =>
        send(
          target,
          '/v1/chat/completions',
          `{"model":"good-chat","messages":[{"role":"user","content":"x"}],"x":${value}}`,
        ),
      isExpected: isBadRequest,
    }),
  ),
  {
    name: 'second model behind comments',
    weight: 3,
    run: (target) =>
      send(
        target,
        '/v1/chat/completions',
        '{"model":"good-chat","messages":[{"role":"user","content":"x"}],"x":[/*"*/1],"model":"not-mine","y":[/*"*/2]}',
      ),
    isExpected: isBadRequest,
  },
  {
    name: 'reset in the stream',
    weight: 2,
    run: (target) => chat(target, 'one-word-and-reset', { stream: true }),
    isExpected: isRefused,
  },
  {
    name: 'dripping stream',
    weight: 1,
    run: (target) => chat(target, 'dripping', { stream: true }),
    isExpected: isRefused,
  },
  {
    name: 'caller that leaves a stream',
    weight: 3,
    run: async (target, random) => {
      const head = request(target, '/v1/chat/completions', body('endless-text', true))
      await sendAndReset(target.port, head, 20 + random() * 100)
      return NOTHING
    },
    isExpected: () => true,
  },
  {
    name: 'caller that never reads',
    weight: 1,
    run: async (target) => {
      await stall(target.port, request(target, '/v1/chat/completions', body('endless-text', true)), 3_000)
      return NOTHING
    },
    isExpected: () => true,
  },
  {
    name: 'half a head and reset',
    weight: 3,
    run: async ({ port }, random) => {
      await sendAndReset(port, 'POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-le', random() * 30)
      return NOTHING
    },
    isExpected: () => true,
  },
]

function body(model: string, stream: boolean): string {
  return JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'go' }] })
}

function manyMessages(model: string): string {
  const message = '{"role":"user","content":"x0"}'
  return `{"model":"${model}","messages":[${`${message},`.repeat(59_999)}${message}]}`
}

function chat(target: Target, model: string, { stream = false }): Promise<Seen> {
  return send(target, '/v1/chat/completions', body(model, stream))
}

function messages(target: Target, model: string): Promise<Seen> {
  return send(target, '/v1/messages', body(model, true).replace('{', '{"max_tokens":100,'))
}

function responses(target: Target, model: string): Promise<Seen> {
  return send(target, '/v1/responses', JSON.stringify({ model, stream: true, input: 'go' }))
}

function request({ key }: Target, path: string, text: string): string {
  return [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
    '',
    text,
  ].join('\r\n')
}

function send(target: Target, path: string, text: string): Promise<Seen> {
  return sendRaw(target.port, request(target, path, text))
}

/** The start and the end of the answer are kept, so that an answer of many MB can be judged. */
const SHOWN_CHARACTERS = 4_096
const PATIENCE_MS = 60_000

function sendRaw(port: number, bytes: string): Promise<Seen> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    let start = ''
    let end = ''
    const finish = () => {
      clearTimeout(patience)
      socket.destroy()
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(start)?.[1] ?? 0), body: start + end })
    }
    const patience = setTimeout(finish, PATIENCE_MS)
    socket.on('error', finish)
    socket.on('close', finish)
    socket.on('end', finish)
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1')
      if (start.length < SHOWN_CHARACTERS) start += text.slice(0, SHOWN_CHARACTERS)
      else end = (end + text.slice(-SHOWN_CHARACTERS)).slice(-SHOWN_CHARACTERS)
    })
    socket.write(bytes, 'latin1')
  })
}

async function sendAndReset(port: number, bytes: string, afterMs: number): Promise<void> {
  await withSocket(port, async (socket) => {
    socket.write(bytes)
    await wait(afterMs)
    socket.resetAndDestroy()
  })
}

async function stall(port: number, bytes: string, forMs: number): Promise<void> {
  await withSocket(port, async (socket) => {
    socket.pause()
    socket.write(bytes)
    await wait(forMs)
    socket.destroy()
  })
}

async function withSocket(port: number, use: (socket: Socket) => Promise<void>): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' })
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.on('error', () => resolve(false))
  })
  if (isOpen) await use(socket)
}

/** Requests on one connection without a wait between them; answers are read. */
function pipeline(port: number, count: number): Promise<Seen> {
  const one = 'GET /v1/nope HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'
  const last = 'GET /v1/nope HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n'
  return sendRaw(port, one.repeat(count - 1) + last)
}
