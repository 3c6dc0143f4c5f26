import { bodyLimit, chat, chatBody, chunk, framed, type RawCase, raw } from '../raw-case.ts'

const tooLarge = { answers: ['413 request_too_large'], after: 'closed' } as const
const served = { answers: ['200'], after: 'open' } as const
const headTooLarge = { answers: ['431 malformed_request'], after: 'closed' } as const

function bodyOf(length: number): string {
  return chatBody('a'.repeat(length - chatBody('').length))
}

function headers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `x-${index}: a`)
}

/** Just below, just above: sizes of heads, paths and bodies. */
export const limitCases: readonly RawCase[] = [
  { name: 'a body of exactly the limit', bytes: raw({ body: bodyOf(bodyLimit) }), ...served },
  {
    name: 'a body one byte above',
    bytes: raw({ body: bodyOf(bodyLimit + 1) }),
    ...tooLarge,
    says: String(bodyLimit),
  },
  { name: 'a body twice as large', bytes: raw({ body: bodyOf(bodyLimit * 2) }), ...tooLarge },
  {
    name: 'a length far above, before any of it came',
    bytes: raw({ headers: ['content-length: 99999999999'] }),
    ...tooLarge,
  },
  {
    name: 'a length above without a key',
    bytes: raw({ without: ['authorization'], headers: ['content-length: 99999999999'] }),
    answers: ['401 missing_api_key'],
    after: 'closed',
  },
  {
    name: 'chunks of exactly the limit',
    bytes: framed(['transfer-encoding: chunked'], `${chunk(bodyOf(bodyLimit))}0\r\n\r\n`),
    ...served,
  },
  {
    name: 'chunks one byte above',
    bytes: framed(['transfer-encoding: chunked'], `${chunk(bodyOf(bodyLimit + 1))}0\r\n\r\n`),
    ...tooLarge,
  },
  {
    name: 'many small chunks above',
    bytes: framed(['transfer-encoding: chunked'], `${chunk('a'.repeat(1_024)).repeat(70)}0\r\n\r\n`),
    ...tooLarge,
  },
  {
    name: 'a chunk that says it is huge',
    bytes: framed(['transfer-encoding: chunked'], `7fffffff\r\n${'a'.repeat(bodyLimit + 1)}`),
    ...tooLarge,
  },
  {
    name: 'one-byte chunks',
    bytes: framed(['transfer-encoding: chunked'], `${[...chatBody()].map(chunk).join('')}0\r\n\r\n`),
    ...served,
  },
  { name: 'a header of 8 KB', bytes: chat({ headers: [`x-a: ${'a'.repeat(8_192)}`] }), ...served },
  { name: 'a header of 16 KB', bytes: chat({ headers: [`x-a: ${'a'.repeat(16_384)}`] }), ...headTooLarge },
  {
    name: 'headers of 17 KB together',
    bytes: chat({ headers: Array.from({ length: 17 }, (_, index) => `x-${index}: ${'a'.repeat(1_000)}`) }),
    ...headTooLarge,
  },
  { name: 'a name of 16 KB', bytes: chat({ headers: [`${'a'.repeat(16_384)}: a`] }), ...headTooLarge },
  { name: '100 headers', bytes: chat({ headers: headers(96) }), ...served },
  {
    name: '101 headers',
    bytes: chat({ headers: headers(97) }),
    answers: ['431 malformed_request'],
    after: 'closed',
    says: '100',
  },
  {
    name: '1000 headers',
    bytes: chat({ headers: headers(1_000) }),
    answers: ['431 malformed_request'],
    after: 'closed',
  },
  {
    name: 'a length behind 100 other headers',
    bytes: framed([...headers(110), `content-length: ${chatBody().length}`], chatBody()),
    answers: ['431 malformed_request'],
    after: 'closed',
  },
  {
    name: 'a path of 8 KB',
    bytes: raw({ line: `GET /v1/models/${'a'.repeat(8_000)} HTTP/1.1` }),
    answers: ['404 model_not_found'],
    after: 'open',
  },
  {
    name: 'a query of 8 KB',
    bytes: raw({ line: `GET /v1/models?a=${'a'.repeat(8_000)} HTTP/1.1` }),
    ...served,
  },
  { name: 'a path of 17 KB', bytes: raw({ line: `GET /${'a'.repeat(17_000)} HTTP/1.1` }), ...headTooLarge },
  {
    name: 'a query of 17 KB',
    bytes: raw({ line: `GET /v1/models?${'a'.repeat(17_000)} HTTP/1.1` }),
    ...headTooLarge,
  },
  {
    name: 'a path with a thousand slashes',
    bytes: raw({ line: `GET ${'/a'.repeat(1_000)} HTTP/1.1` }),
    answers: ['404 path_not_found'],
    after: 'open',
  },
  {
    name: 'trailers of 17 KB',
    bytes: framed(
      ['transfer-encoding: chunked'],
      `${chunk(chatBody())}0\r\nx-a: ${'a'.repeat(17_000)}\r\n\r\n`,
    ),
    ...headTooLarge,
  },
]
