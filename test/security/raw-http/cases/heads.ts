import { testKey } from '../../../support/start-gateway.ts'
import { chat, chatBody, framed, type RawCase, raw } from '../raw-case.ts'

const refused = { answers: ['400 malformed_request'], after: 'closed' } as const
const served = { answers: ['200'], after: 'open' } as const

function withHeader(header: string): string {
  return chat({ headers: [header] })
}

function withLine(line: string): string {
  return chat({ line })
}

/** Request lines and header lines that are not as HTTP/1.1 has them. */
export const headCases: readonly RawCase[] = [
  { name: 'a header folded over two lines', bytes: withHeader('x-a: b\r\n c'), ...refused },
  { name: 'a header folded with a tab', bytes: withHeader('x-a: b\r\n\tc'), ...refused },
  {
    name: 'a first header that is folded',
    bytes: `POST /v1/chat/completions HTTP/1.1\r\n x: y\r\n${raw().split('\r\n').slice(1).join('\r\n')}`,
    ...refused,
  },
  { name: 'a lone line feed at the end of a header', bytes: withHeader('x-a: b\nx-c: d'), ...refused },
  { name: 'a lone carriage return in a header', bytes: withHeader('x-a: b\rx-c: d'), ...refused },
  { name: 'lone line feeds throughout', bytes: chat().replaceAll('\r\n', '\n'), ...refused },
  { name: 'a NUL in a header', bytes: withHeader('x-a: b\x00c'), ...refused },
  { name: 'a NUL in a name', bytes: withHeader('x\x00a: b'), ...refused },
  { name: 'a control character in a header', bytes: withHeader('x-a: b\x01c'), ...refused },
  { name: 'a delete character in a header', bytes: withHeader('x-a: b\x7fc'), ...refused },
  { name: 'a space before a colon', bytes: withHeader('x-a : b'), ...refused },
  { name: 'a space in a name', bytes: withHeader('x a: b'), ...refused },
  { name: 'a header without a colon', bytes: withHeader('x-a'), ...refused },
  { name: 'a header without a name', bytes: withHeader(': b'), ...refused },
  { name: 'a name in brackets', bytes: withHeader('(x): b'), ...refused },
  { name: 'a name beyond ASCII', bytes: withHeader('x-\xe9: b'), ...refused },
  { name: 'a value beyond ASCII', bytes: withHeader('x-a: \xe9'), ...served },
  { name: 'a tab in a value', bytes: withHeader('x-a: b\tc'), ...served },
  { name: 'an empty value', bytes: withHeader('x-a:'), ...served },
  { name: 'no version', bytes: withLine('POST /v1/chat/completions'), ...refused },
  { name: 'HTTP/0.9', bytes: 'GET /healthz\r\n', ...refused },
  { name: 'version 1.2', bytes: withLine('POST /v1/chat/completions HTTP/1.2'), ...refused },
  { name: 'version 2.0', bytes: withLine('POST /v1/chat/completions HTTP/2.0'), ...refused },
  { name: 'version 3', bytes: withLine('POST /v1/chat/completions HTTP/3'), ...refused },
  { name: 'version 1.1 in small letters', bytes: withLine('POST /v1/chat/completions http/1.1'), ...refused },
  { name: 'version 1.10', bytes: withLine('POST /v1/chat/completions HTTP/1.10'), ...refused },
  {
    name: 'another protocol, which counts as HTTP/1.0',
    bytes: withLine('POST /v1/chat/completions RTSP/1.0'),
    answers: ['200'],
    after: 'closed',
  },
  { name: 'the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ...refused },
  { name: 'a TLS greeting', bytes: '\x16\x03\x01\x00\xf4\x01\x00\x00\xf0\x03\x03', ...refused },
  {
    name: 'HTTP/1.0 with a length',
    bytes: withLine('POST /v1/chat/completions HTTP/1.0'),
    answers: ['200'],
    after: 'closed',
  },
  {
    name: 'HTTP/1.0 that keeps the connection',
    bytes: chat({ line: 'POST /v1/chat/completions HTTP/1.0', headers: ['connection: keep-alive'] }),
    ...served,
  },
  {
    name: 'HTTP/1.0 without a host',
    bytes: raw({ line: 'GET /healthz HTTP/1.0', without: ['host'] }),
    answers: ['200'],
    after: 'closed',
  },
  {
    name: 'two spaces in the request line',
    bytes: withLine('POST  /v1/chat/completions HTTP/1.1'),
    ...served,
  },
  { name: 'a tab in the request line', bytes: withLine('POST\t/v1/chat/completions HTTP/1.1'), ...refused },
  { name: 'a space after the version', bytes: withLine('POST /v1/chat/completions HTTP/1.1 '), ...refused },
  { name: 'a space in the path', bytes: withLine('POST /v1/chat /completions HTTP/1.1'), ...refused },
  { name: 'a NUL in the path', bytes: withLine('POST /v1/chat\x00/completions HTTP/1.1'), ...refused },
  { name: 'no path', bytes: withLine('POST HTTP/1.1'), ...refused },
  { name: 'empty lines before the request', bytes: `\r\n\r\n${chat()}`, ...served },
  {
    name: 'two keys in two headers',
    bytes: withHeader('authorization: Bearer other'),
    ...refused,
    says: 'authorization',
  },
  {
    name: 'the same key in two headers of one name',
    bytes: withHeader(`Authorization: Bearer ${testKey}`),
    ...refused,
    says: 'authorization',
  },
  {
    name: 'x-api-key twice',
    bytes: chat({ headers: ['x-api-key: a', 'X-Api-Key: b'] }),
    ...refused,
    says: 'x-api-key',
  },
  {
    name: 'x-goog-api-key twice',
    bytes: chat({ headers: ['x-goog-api-key: a', 'x-goog-api-key: a'] }),
    ...refused,
    says: 'x-goog-api-key',
  },
  {
    name: 'content-type twice',
    bytes: withHeader('content-type: application/json'),
    ...refused,
    says: 'content-type',
  },
  {
    name: 'content-encoding twice',
    bytes: chat({ headers: ['content-encoding: identity', 'content-encoding: gzip'] }),
    ...refused,
    says: 'content-encoding',
  },
  {
    name: 'anthropic-version twice',
    bytes: chat({ headers: ['anthropic-version: 2023-06-01', 'anthropic-version: 2023-01-01'] }),
    answers: ['400 malformed_request'],
    after: 'closed',
    says: 'anthropic-version',
  },
  {
    name: 'x-headgate-strict twice',
    bytes: chat({ headers: ['x-headgate-strict: 1', 'x-headgate-strict: 0'] }),
    ...refused,
    says: 'x-headgate-strict',
  },
  {
    name: 'anthropic-beta twice, which is a list',
    bytes: chat({ headers: ['anthropic-beta: a', 'anthropic-beta: b'] }),
    ...served,
  },
  {
    name: 'accept twice, which is a list',
    bytes: chat({ headers: ['accept: a/b', 'accept: c/d'] }),
    ...served,
  },
  {
    name: 'authorization by an underscore',
    bytes: framed(['proxy_authorization: x', `content-length: ${chatBody().length}`], chatBody()),
    ...refused,
    says: 'proxy_authorization',
  },
  { name: 'x_api_key', bytes: withHeader('x_api_key: a'), ...refused, says: 'x_api_key' },
  { name: 'X_API_Key beside a hyphen', bytes: withHeader('X_API-Key: a'), ...refused },
  { name: 'content_type', bytes: withHeader('content_type: text/plain'), ...refused, says: 'content_type' },
  {
    name: 'anthropic_version',
    bytes: withHeader('anthropic_version: 1'),
    ...refused,
    says: 'anthropic_version',
  },
  {
    name: 'x_forwarded_for',
    bytes: withHeader('x_forwarded_for: 1.2.3.4'),
    ...refused,
    says: 'x_forwarded_for',
  },
  { name: 'x_headgate_strict', bytes: withHeader('x_headgate_strict: 1'), ...refused },
  { name: 'an underscore in a name that means nothing here', bytes: withHeader('my_header: 1'), ...served },
  { name: '__proto__ as a name', bytes: withHeader('__proto__: 1'), ...served },
  { name: 'constructor as a name', bytes: withHeader('constructor: 1'), ...served },
]
