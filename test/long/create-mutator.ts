import { longTestKey } from './open-subjects.ts'

export interface MutatedRequest {
  readonly bytes: Buffer
  /** The HTTP itself may be cut short, so that the other side can only close. */
  readonly mayGoUnanswered: boolean
}

interface Parts {
  method: string
  path: string
  headers: [string, string][]
  body: Buffer
}

const goodBodies: readonly object[] = [
  {
    model: 'm',
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
    stream_options: { include_usage: true },
  },
  {
    model: 'm',
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'ok' },
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
    tool_choice: 'auto',
    temperature: 0.5,
  },
  {
    model: 'm',
    max_tokens: 100,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'tool_use', id: 't', name: 'f', input: { a: [1, 2] } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't', content: 'ok', is_error: false },
          { type: 'text', text: 'go on' },
        ],
      },
    ],
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    thinking: { type: 'enabled', budget_tokens: 50 },
    stream: true,
  },
]

const oddValues: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  '',
  'x',
  '\u0000',
  '\ud800',
  [],
  {},
  [[]],
  [null],
  { a: 1 },
  'x'.repeat(5_000),
]
const paths = [
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/messages?beta=true',
  '/v1/v1/messages',
  '/v1/models',
  '/v1/models/m',
  '/healthz',
  '/admin/v1/keys',
  '/metrics',
]

/** Makes spoilt requests from good ones, the same for the same seed. */
export function createMutator(seed: number): () => MutatedRequest {
  let state = seed >>> 0 || 1
  const chance = () => {
    // xorshift32
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(chance() * items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }
  const upTo = (limit: number) => Math.floor(chance() * limit)

  const mutations: readonly ((parts: Parts) => void)[] = [
    (parts) => {
      parts.body = Buffer.from(JSON.stringify(spoilValue(JSON.parse(parts.body.toString()))))
    },
    (parts) => {
      for (let count = 1 + upTo(8); count > 0 && parts.body.length > 0; count -= 1)
        parts.body[upTo(parts.body.length)] = upTo(256)
    },
    (parts) => {
      parts.body = parts.body.subarray(0, upTo(parts.body.length))
    },
    (parts) => {
      const at = upTo(parts.body.length)
      const noise = Buffer.from(Array.from({ length: upTo(40) }, () => upTo(256)))
      parts.body = Buffer.concat([parts.body.subarray(0, at), noise, parts.body.subarray(at)])
    },
    (parts) => {
      const from = upTo(parts.body.length)
      const piece = parts.body.subarray(from, from + upTo(60))
      parts.body = Buffer.concat([
        parts.body.subarray(0, from),
        piece,
        piece,
        parts.body.subarray(from + piece.length),
      ])
    },
    (parts) => {
      const depth = upTo(3_000)
      parts.body = Buffer.from(`{"model":"m","messages":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    },
    (parts) => {
      const header = pick(parts.headers)
      header[1] = pick([
        '',
        'x',
        'text/plain',
        'application/json; charset=utf-16',
        'gzip',
        'Bearer',
        'Bearer wrong-key-0123456789',
        '\u00e9',
        'a'.repeat(3_000),
        '1, 2',
      ])
    },
    (parts) => {
      parts.headers = parts.headers.filter((header) => header !== pick(parts.headers))
    },
    (parts) => {
      parts.headers.push([
        pick([
          'anthropic-version',
          'x-api-key',
          'x-headgate-strict',
          'content-encoding',
          'expect',
          '__proto__',
          'connection',
          'x-forwarded-for',
          'accept',
        ]),
        pick(['1', '', 'gzip', '100-continue', 'close', '2023-06-01', '999.1.1.1', longTestKey]),
      ])
    },
    (parts) => {
      const at = upTo(parts.path.length)
      parts.path =
        parts.path.slice(0, at) +
        pick(['%', '%00', '..', '//', '?', '#', '/', '%2e%2e', 'é', '%ff', ';']) +
        parts.path.slice(at)
    },
    (parts) => {
      parts.method = pick([
        'GET',
        'PUT',
        'DELETE',
        'PATCH',
        'OPTIONS',
        'HEAD',
        'TRACE',
        'CONNECT',
        'post',
        'X',
      ])
    },
  ]

  function spoilValue(value: unknown): unknown {
    if (chance() < 0.15) return pick(oddValues)
    if (Array.isArray(value)) return value.map(spoilValue)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
        if (chance() < 0.05) return []
        const spoilt: [string, unknown] = [
          chance() < 0.05 ? pick(['Model', 'type', '__proto__', 'constructor', '']) : name,
          spoilValue(inner),
        ]
        return [spoilt]
      }),
    )
  }

  return () => {
    const parts: Parts = {
      method: 'POST',
      path: chance() < 0.85 ? pick(['/v1/chat/completions', '/v1/messages?beta=true']) : pick(paths),
      headers: [
        ['host', '127.0.0.1'],
        ['content-type', 'application/json'],
        ['authorization', `Bearer ${longTestKey}`],
      ],
      body: Buffer.from(JSON.stringify(pick(goodBodies))),
    }
    for (let count = 1 + upTo(2); count > 0; count -= 1) {
      try {
        pick(mutations)(parts)
      } catch {
        // A body that an earlier mutation spoilt cannot be spoilt as JSON any more.
      }
    }
    return assemble(parts)
  }
}

function assemble({ method, path, headers, body }: Parts): MutatedRequest {
  const head = [
    `${method} ${path} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
    '',
    '',
  ].join('\r\n')
  // CONNECT asks for a tunnel and Expect waits for a word of ours; both may end in silence.
  const mayGoUnanswered = method === 'CONNECT' || headers.some(([name]) => name === 'expect')
  return { bytes: Buffer.concat([Buffer.from(head, 'utf8'), body]), mayGoUnanswered }
}
