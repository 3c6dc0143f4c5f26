import { chat, chatBody, framed, type RawCase, raw, smuggled } from '../raw-case.ts'

const refused = { answers: ['400 malformed_request'], after: 'closed' } as const
const served = { answers: ['200'], after: 'open' } as const

function bare(line: string): string {
  return raw({ line })
}

/** Methods, and what a request may ask of the connection itself. */
export const methodCases: readonly RawCase[] = [
  {
    name: 'GET of an operation',
    bytes: bare('GET /v1/chat/completions HTTP/1.1'),
    answers: ['405 method_not_allowed'],
    after: 'open',
    headers: { allow: 'POST' },
  },
  {
    name: 'PUT of an operation',
    bytes: chat({ line: 'PUT /v1/chat/completions HTTP/1.1' }),
    answers: ['405 method_not_allowed'],
    after: 'closed',
    headers: { allow: 'POST' },
  },
  {
    name: 'PATCH of an operation',
    bytes: chat({ line: 'PATCH /v1/messages HTTP/1.1' }),
    answers: ['405 method_not_allowed'],
    after: 'closed',
    headers: { allow: 'POST' },
  },
  {
    name: 'DELETE of an operation',
    bytes: bare('DELETE /v1/chat/completions HTTP/1.1'),
    answers: ['405 method_not_allowed'],
    after: 'open',
    headers: { allow: 'POST' },
  },
  {
    name: 'OPTIONS of an operation',
    bytes: bare('OPTIONS /v1/chat/completions HTTP/1.1'),
    answers: ['405 method_not_allowed'],
    after: 'open',
    headers: { allow: 'POST' },
  },
  {
    name: 'HEAD of an operation',
    bytes: bare('HEAD /v1/chat/completions HTTP/1.1'),
    answers: ['405'],
    after: 'open',
    isHead: true,
    headers: { allow: 'POST' },
  },
  {
    name: 'HEAD of the models',
    bytes: bare('HEAD /v1/models HTTP/1.1'),
    answers: ['200'],
    after: 'open',
    isHead: true,
  },
  {
    name: 'HEAD of the health',
    bytes: bare('HEAD /healthz HTTP/1.1'),
    answers: ['200'],
    after: 'open',
    isHead: true,
  },
  {
    name: 'HEAD without a key',
    bytes: raw({ line: 'HEAD /v1/models HTTP/1.1', without: ['authorization'] }),
    answers: ['401'],
    after: 'open',
    isHead: true,
  },
  {
    name: 'POST to the models',
    bytes: chat({ line: 'POST /v1/models HTTP/1.1' }),
    answers: ['405 method_not_allowed'],
    after: 'closed',
    headers: { allow: 'GET, HEAD' },
  },
  {
    name: 'TRACE',
    bytes: bare('TRACE /v1/chat/completions HTTP/1.1'),
    answers: ['405 method_not_allowed'],
    after: 'open',
    headers: { allow: 'POST' },
  },
  {
    name: 'PROPFIND',
    bytes: bare('PROPFIND /v1/models HTTP/1.1'),
    answers: ['405 method_not_allowed'],
    after: 'open',
    headers: { allow: 'GET, HEAD' },
  },
  {
    name: 'PURGE',
    bytes: bare('PURGE /v1/models HTTP/1.1'),
    answers: ['405 method_not_allowed'],
    after: 'open',
    headers: { allow: 'GET, HEAD' },
  },
  { name: 'a method that is unknown', bytes: bare('BREW /v1/models HTTP/1.1'), ...refused },
  { name: 'a method in small letters', bytes: bare('get /v1/models HTTP/1.1'), ...refused },
  { name: 'a method with a NUL', bytes: bare('GE\x00T /v1/models HTTP/1.1'), ...refused },
  {
    name: 'a method that goes on and on',
    bytes: bare(`${'A'.repeat(2_000)} /v1/models HTTP/1.1`),
    ...refused,
  },
  {
    name: 'GET with a body',
    bytes: raw({ line: 'GET /v1/models HTTP/1.1', body: chatBody() }),
    answers: ['200'],
    after: 'closed',
  },
  {
    name: 'GET with a request as its body',
    bytes: raw({ line: 'GET /healthz HTTP/1.1', body: smuggled }),
    answers: ['200'],
    after: 'closed',
  },
  {
    name: 'GET with chunks',
    bytes: framed(['transfer-encoding: chunked'], '0\r\n\r\n', 'GET /healthz HTTP/1.1'),
    answers: ['200'],
    after: 'closed',
  },
  {
    name: 'GET with a length of 0',
    bytes: raw({ line: 'GET /healthz HTTP/1.1', headers: ['content-length: 0'] }),
    ...served,
  },
  {
    name: 'HEAD with a body',
    bytes: raw({ line: 'HEAD /healthz HTTP/1.1', body: smuggled }),
    answers: ['200'],
    after: 'closed',
    isHead: true,
  },
  { name: 'POST without a body', bytes: raw(), answers: ['400 invalid_json'], after: 'open' },
  {
    name: 'POST with a length of 0',
    bytes: raw({ headers: ['content-length: 0'] }),
    answers: ['400 invalid_json'],
    after: 'open',
  },
  { name: 'two requests in one breath', bytes: chat() + chat(), answers: ['200', '200'], after: 'open' },
  {
    name: 'twenty requests in one breath',
    bytes: chat().repeat(20),
    answers: Array.from({ length: 20 }, () => '200'),
    after: 'open',
  },
  {
    name: 'a sound request after a refused body',
    bytes: raw({ body: '{' }) + chat(),
    answers: ['400 invalid_json', '200'],
    after: 'open',
  },
  {
    name: 'a request that ends the connection',
    bytes: chat({ headers: ['connection: close'] }),
    answers: ['200'],
    after: 'closed',
  },
  {
    name: 'connection close among other words',
    bytes: chat({ headers: ['connection: x, close'] }),
    answers: ['200'],
    after: 'closed',
  },
  {
    name: 'a connection header that names the key',
    bytes: chat({ headers: ['connection: authorization'] }),
    ...served,
  },
  {
    name: 'keep-alive',
    bytes: chat({ headers: ['connection: keep-alive', 'keep-alive: timeout=1, max=1'] }),
    ...served,
  },
  {
    name: 'an offer of h2c, which is passed over',
    bytes: chat({
      headers: ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__'],
    }),
    answers: ['200'],
    after: 'closed',
  },
  {
    name: 'an offer of a web socket, which is passed over',
    bytes: raw({
      line: 'GET /v1/models HTTP/1.1',
      headers: [
        'connection: Upgrade',
        'upgrade: websocket',
        'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-version: 13',
      ],
    }),
    answers: ['200'],
    after: 'closed',
  },
  {
    name: 'an offer without a connection header',
    bytes: chat({ headers: ['upgrade: h2c'] }),
    answers: ['200'],
    after: 'closed',
  },
  {
    name: 'an offer with a request as the body',
    bytes: raw({ headers: ['connection: Upgrade', 'upgrade: h2c'], body: smuggled }),
    answers: ['400 invalid_json'],
    after: 'closed',
  },
  {
    name: 'a body that waits for a word, and comes',
    bytes: chat({ headers: ['expect: 100-continue'] }),
    answers: ['100', '200'],
    after: 'open',
  },
  {
    name: 'the same word in capitals',
    bytes: chat({ headers: ['expect: 100-Continue'] }),
    answers: ['100', '200'],
    after: 'open',
  },
  {
    name: 'a body that waits for a word that HTTP/1.0 does not have',
    bytes: chat({ line: 'POST /v1/chat/completions HTTP/1.0', headers: ['expect: 100-continue'] }),
    answers: ['200'],
    after: 'closed',
  },
  {
    name: 'a body that waits for a word without a key',
    bytes: chat({ without: ['authorization'], headers: ['expect: 100-continue'] }),
    answers: ['401 missing_api_key'],
    after: 'closed',
  },
  {
    name: 'a body that waits for a word and is too large',
    bytes: raw({ headers: ['expect: 100-continue', 'content-length: 99999999'] }),
    answers: ['413 request_too_large'],
    after: 'closed',
  },
  {
    name: 'a body that waits for a word at no path',
    bytes: chat({ line: 'POST /nowhere HTTP/1.1', headers: ['expect: 100-continue'] }),
    answers: ['404 path_not_found'],
    after: 'closed',
  },
  {
    name: 'an expectation that is unknown',
    bytes: chat({ headers: ['expect: magic'] }),
    answers: ['417 expectation_failed'],
    after: 'closed',
  },
  {
    name: 'an expectation beside the known one',
    bytes: chat({ headers: ['expect: 100-continue, magic'] }),
    answers: ['417 expectation_failed'],
    after: 'closed',
  },
  { name: 'te: trailers', bytes: chat({ headers: ['te: trailers'] }), ...served },
]
