import { chatBody, chatLine, chunk, chunkedBody, framed, type RawCase, smuggled } from '../raw-case.ts'

const refused = { answers: ['400 malformed_request'], after: 'closed' } as const
const served = { answers: ['200'], after: 'open' } as const
const body = chatBody()
const size = body.length.toString(16)

function coded(coding: string): string {
  return framed([`transfer-encoding: ${coding}`], chunkedBody)
}

function chunks(text: string): string {
  return framed(['transfer-encoding: chunked'], text)
}

/** Ways of writing the coding that some readers understand and others do not, and spoilt chunks. */
export const codingCases: readonly RawCase[] = [
  { name: 'chunks', bytes: coded('chunked'), ...served },
  { name: 'the coding in capitals', bytes: coded('CHUNKED'), ...served },
  {
    name: 'the coding with space around',
    bytes: framed(['transfer-encoding:  chunked '], chunkedBody),
    ...served,
  },
  { name: 'a coding with a letter too many', bytes: coded('xchunked'), ...refused },
  { name: 'a coding with a letter at its end', bytes: coded('chunkedx'), ...refused },
  { name: 'the coding identity', bytes: coded('identity'), ...refused },
  { name: 'the coding gzip before chunks', bytes: coded('gzip, chunked'), ...refused },
  { name: 'chunks that are not the last coding', bytes: coded('chunked, identity'), ...refused },
  { name: 'chunks twice', bytes: coded('chunked, chunked'), ...refused },
  {
    name: 'two headers of the coding',
    bytes: framed(['transfer-encoding: chunked', 'transfer-encoding: chunked'], chunkedBody),
    ...refused,
  },
  {
    name: 'two headers of which the second is unknown',
    bytes: framed(['transfer-encoding: chunked', 'transfer-encoding: x'], chunkedBody),
    ...refused,
  },
  { name: 'a coding that is empty', bytes: coded(''), ...refused },
  { name: 'a coding in quotes', bytes: coded('"chunked"'), ...refused },
  { name: 'a coding with a parameter', bytes: coded('chunked;a=b'), ...refused },
  { name: 'a coding after a vertical tab', bytes: coded('\x0bchunked'), ...refused },
  { name: 'a coding after a NUL', bytes: coded('\x00chunked'), ...refused },
  {
    name: 'a coding with a line end before it',
    bytes: framed(['transfer-encoding:\r\n chunked'], chunkedBody),
    ...refused,
  },
  {
    name: 'a coding after a lone line feed',
    bytes: framed(['accept: a\ntransfer-encoding: chunked'], chunkedBody),
    ...refused,
  },
  {
    name: 'chunks under HTTP/1.0',
    bytes: framed(['transfer-encoding: chunked'], chunkedBody, 'POST /v1/chat/completions HTTP/1.0'),
    ...refused,
  },
  { name: 'an extension of a chunk', bytes: chunks(`${size};a=b\r\n${body}\r\n0\r\n\r\n`), ...served },
  {
    name: 'an extension with a quoted request',
    bytes: chunks(`${size};a="${chatLine}"\r\n${body}\r\n0\r\n\r\n`),
    ...served,
  },
  {
    name: 'an extension with a lone line feed',
    bytes: chunks(`${size};a\n${body}\r\n0\r\n\r\n`),
    ...refused,
  },
  {
    name: 'an extension with a lone carriage return',
    bytes: chunks(`${size};a\rb\r\n${body}\r\n0\r\n\r\n`),
    ...refused,
  },
  {
    name: 'an extension beyond all bounds',
    bytes: chunks(`${size};${'a'.repeat(40_000)}\r\n${body}\r\n0\r\n\r\n`),
    ...refused,
  },
  { name: 'a size that is no number', bytes: chunks(`zz\r\n${body}\r\n0\r\n\r\n`), ...refused },
  { name: 'a size with 0x', bytes: chunks(`0x${size}\r\n${body}\r\n0\r\n\r\n`), ...refused },
  { name: 'a size below 0', bytes: chunks(`-1\r\n${body}\r\n0\r\n\r\n`), ...refused },
  { name: 'a size with a plus sign', bytes: chunks(`+${size}\r\n${body}\r\n0\r\n\r\n`), ...refused },
  { name: 'a size after a space', bytes: chunks(` ${size}\r\n${body}\r\n0\r\n\r\n`), ...refused },
  { name: 'a size before a space', bytes: chunks(`${size} \r\n${body}\r\n0\r\n\r\n`), ...refused },
  { name: 'a size with an underscore', bytes: chunks(`1_0\r\n${body}\r\n0\r\n\r\n`), ...refused },
  { name: 'a size beyond 64 bits', bytes: chunks(`10000000000000000\r\n${body}\r\n0\r\n\r\n`), ...refused },
  { name: 'an empty size', bytes: chunks(`\r\n${body}\r\n0\r\n\r\n`), ...refused },
  { name: 'a size with leading zeros', bytes: chunks(`000${size}\r\n${body}\r\n0\r\n\r\n`), ...served },
  { name: 'a size ended by a lone line feed', bytes: chunks(`${size}\n${body}\r\n0\r\n\r\n`), ...refused },
  { name: 'a chunk longer than its size', bytes: chunks(`3\r\n${body}\r\n0\r\n\r\n`), ...refused },
  { name: 'a chunk ended by a lone line feed', bytes: chunks(`${size}\r\n${body}\n0\r\n\r\n`), ...refused },
  { name: 'a chunk ended by nothing', bytes: chunks(`${size}\r\n${body}0\r\n\r\n`), ...refused },
  { name: 'a last chunk of several zeros', bytes: chunks(`${chunk(body)}000\r\n\r\n`), ...served },
  { name: 'a last chunk with an extension', bytes: chunks(`${chunk(body)}0;a=b\r\n\r\n`), ...served },
  { name: 'trailers', bytes: chunks(`${chunk(body)}0\r\nx-checksum: 1\r\n\r\n`), ...served },
  {
    name: 'trailers that say who calls',
    bytes: chunks(`${chunk(body)}0\r\nauthorization: Bearer x\r\n\r\n`),
    ...served,
  },
  {
    name: 'trailers that say a length',
    bytes: chunks(`${chunk(body)}0\r\ncontent-length: 5\r\n\r\n`),
    ...refused,
  },
  {
    name: 'trailers that say a coding',
    bytes: chunks(`${chunk(body)}0\r\ntransfer-encoding: chunked\r\n\r\n`),
    ...refused,
  },
  {
    name: 'a trailer that is no header',
    bytes: chunks(`${chunk(body)}0\r\n${chatLine}\r\n\r\n`),
    ...refused,
  },
  {
    name: 'a request behind the last chunk',
    bytes: chunks(`${chunk(body)}0\r\n\r\n`) + chunks(`${chunk(body)}0\r\n\r\n`),
    answers: ['200', '200'],
    after: 'open',
  },
  {
    name: 'a request in a trailer',
    bytes: chunks(`${chunk(body)}0\r\na: ${smuggled.replaceAll('\r\n', ' ')}\r\n\r\n`),
    ...served,
  },
]
