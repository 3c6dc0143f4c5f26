import { testKey } from '../../../support/start-gateway.ts'
import { chat, type RawCase } from '../raw-case.ts'

const served = { answers: ['200'], after: 'open' } as const
const invalid = { answers: ['401 invalid_api_key'], after: 'closed' } as const
const missing = { answers: ['401 missing_api_key'], after: 'closed' } as const
const refused = { answers: ['400 malformed_request'], after: 'closed' } as const

function by(...headers: readonly string[]): string {
  return chat({ without: ['authorization'], headers })
}

/** Ways of saying who calls. The body is never read before this is settled, so the connection ends. */
export const credentialCases: readonly RawCase[] = [
  { name: 'a bearer', bytes: by(`authorization: Bearer ${testKey}`), ...served },
  { name: 'a bearer in capitals', bytes: by(`AUTHORIZATION: BEARER ${testKey}`), ...served },
  { name: 'a bearer after two spaces', bytes: by(`authorization: Bearer  ${testKey}`), ...served },
  { name: 'a bare key', bytes: by(`authorization: ${testKey}`), ...served },
  { name: 'x-api-key', bytes: by(`x-api-key: ${testKey}`), ...served },
  { name: 'x-goog-api-key', bytes: by(`x-goog-api-key: ${testKey}`), ...served },
  {
    name: 'both headers with one key',
    bytes: by(`authorization: Bearer ${testKey}`, `x-api-key: ${testKey}`),
    ...served,
  },
  {
    name: 'a good key beside a dummy',
    bytes: by('authorization: Bearer dummy', `x-api-key: ${testKey}`),
    ...served,
  },
  { name: 'no key', bytes: by(), ...missing },
  { name: 'an empty header', bytes: by('authorization:'), ...missing },
  { name: 'a scheme without a key', bytes: by('authorization: Bearer'), ...missing },
  { name: 'a scheme and spaces', bytes: by('authorization: Bearer   '), ...missing },
  { name: 'an empty x-api-key', bytes: by('x-api-key:'), ...missing },
  { name: 'a wrong key', bytes: by('authorization: Bearer wrong-key-0123456789'), ...invalid },
  { name: 'a key with a letter too many', bytes: by(`authorization: Bearer ${testKey}x`), ...invalid },
  {
    name: 'a key with a letter too few',
    bytes: by(`authorization: Bearer ${testKey.slice(0, -1)}`),
    ...invalid,
  },
  { name: 'a key in capitals', bytes: by(`authorization: Bearer ${testKey.toUpperCase()}`), ...invalid },
  { name: 'another scheme', bytes: by(`authorization: Token ${testKey}`), ...invalid },
  { name: 'basic', bytes: by(`authorization: Basic ${btoa(`user:${testKey}`)}`), ...invalid },
  { name: 'a scheme joined to the key', bytes: by(`authorization: Bearer${testKey}`), ...invalid },
  { name: 'a key of 8 KB', bytes: by(`authorization: Bearer ${'a'.repeat(8_192)}`), ...invalid },
  {
    name: 'a key beyond ASCII',
    bytes: by('authorization: Bearer \xe9\xe9\xe9\xe9\xe9\xe9\xe9\xe9'),
    ...invalid,
  },
  { name: 'a key with SQL', bytes: by("authorization: Bearer ' OR 1=1 --"), ...invalid },
  { name: 'a key with a NUL', bytes: by(`authorization: Bearer ${testKey}\x00`), ...refused },
  { name: 'a key with a control character', bytes: by(`authorization: Bearer ${testKey}\x01`), ...refused },
  { name: 'a key with a line end', bytes: by(`authorization: Bearer\r\n ${testKey}`), ...refused },
  { name: 'the key in a cookie', bytes: by(`cookie: authorization=${testKey}`), ...missing },
  {
    name: 'the key in the query of an operation',
    bytes: chat({ line: `POST /v1/chat/completions?key=${testKey} HTTP/1.1`, without: ['authorization'] }),
    ...missing,
  },
  { name: 'the key for a proxy', bytes: by(`proxy-authorization: Bearer ${testKey}`), ...missing },
]
