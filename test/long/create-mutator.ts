import { type Chance, createChance } from './create-chance.ts'
import { goodRequests } from './good-requests.ts'
import { longTestKey } from './open-subjects.ts'
import { byteSpoilers } from './spoil-bytes.ts'
import { spoilValue } from './spoil-value.ts'

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

const paths = [
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/messages?beta=true',
  '/v1/v1/messages',
  '/v1/models',
  '/v1/models/m-chat',
  '/healthz',
  '/admin/v1/keys',
  '/metrics',
]

const mutations: readonly ((parts: Parts, chance: Chance) => void)[] = [
  (parts, chance) => {
    parts.body = Buffer.from(JSON.stringify(spoilValue(JSON.parse(parts.body.toString()), chance)))
  },
  (parts, chance) => {
    parts.body = chance.pick(byteSpoilers)(parts.body, chance)
  },
  (parts, chance) => {
    parts.body = chance.pick(byteSpoilers)(parts.body, chance)
  },
  (parts, chance) => {
    const depth = chance.upTo(3_000)
    parts.body = Buffer.from(`{"model":"m-chat","messages":${'['.repeat(depth)}${']'.repeat(depth)}}`)
  },
  (parts, chance) => {
    const header = chance.pick(parts.headers)
    header[1] = chance.pick([
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
  (parts, chance) => {
    parts.headers = parts.headers.filter((header) => header !== chance.pick(parts.headers))
  },
  (parts, chance) => {
    parts.headers.push([
      chance.pick([
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
      chance.pick(['1', '', 'gzip', '100-continue', 'close', '2023-06-01', '999.1.1.1', longTestKey]),
    ])
  },
  (parts, chance) => {
    const at = chance.upTo(parts.path.length)
    parts.path =
      parts.path.slice(0, at) +
      chance.pick(['%', '%00', '..', '//', '?', '#', '/', '%2e%2e', 'é', '%ff', ';']) +
      parts.path.slice(at)
  },
  (parts, chance) => {
    parts.method = chance.pick([
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

/** Makes spoilt requests from good ones, the same for the same seed. */
export function createMutator(seed: number): () => MutatedRequest {
  const chance = createChance(seed)
  return () => {
    const good = chance.pick(goodRequests)
    const parts: Parts = {
      method: 'POST',
      path: chance.next() < 0.9 ? good.path : chance.pick(paths),
      headers: [
        ['host', '127.0.0.1'],
        ['content-type', 'application/json'],
        ['authorization', `Bearer ${longTestKey}`],
      ],
      body: Buffer.from(JSON.stringify(good.body)),
    }
    for (let count = 1 + chance.upTo(2); count > 0; count -= 1) spoil(parts, chance)
    return assemble(parts)
  }
}

function spoil(parts: Parts, chance: Chance): void {
  try {
    chance.pick(mutations)(parts, chance)
  } catch {
    // A body that an earlier mutation spoilt cannot be spoilt as JSON any more.
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
