import { chat, chatBody, chunk, chunkedBody, framed, type RawCase, smuggled } from '../raw-case.ts'

const body = chatBody()
const length = `content-length: ${body.length}`
const refused = { answers: ['400 malformed_request'], after: 'closed' } as const
const ended = `0\r\n\r\n${smuggled}`

/** Whether length and chunks say the same to everyone: the classic ways of hiding a request in another. */
export const lengthCases: readonly RawCase[] = [
  {
    name: 'a length and chunks',
    bytes: framed([length, 'transfer-encoding: chunked'], chunkedBody),
    ...refused,
  },
  {
    name: 'chunks and a length',
    bytes: framed(['transfer-encoding: chunked', length], chunkedBody),
    ...refused,
  },
  {
    name: 'a length that covers a request behind the last chunk',
    bytes: framed([`content-length: ${ended.length}`, 'transfer-encoding: chunked'], ended),
    ...refused,
  },
  {
    name: 'a length of 0 and chunks',
    bytes: framed(['content-length: 0', 'transfer-encoding: chunked'], chunkedBody),
    ...refused,
  },
  { name: 'two lengths that differ', bytes: framed([length, 'content-length: 3'], body), ...refused },
  { name: 'two lengths that agree', bytes: framed([length, length], body), ...refused },
  {
    name: 'two lengths in one header that differ',
    bytes: framed([`content-length: ${body.length}, 3`], body),
    ...refused,
  },
  {
    name: 'two lengths in one header that agree',
    bytes: framed([`content-length: ${body.length}, ${body.length}`], body),
    ...refused,
  },
  { name: 'a length with a plus sign', bytes: framed([`content-length: +${body.length}`], body), ...refused },
  { name: 'a length below 0', bytes: framed(['content-length: -1'], body), ...refused },
  {
    name: 'a length in hexadecimal',
    bytes: framed([`content-length: 0x${body.length.toString(16)}`], body),
    ...refused,
  },
  { name: 'a length with a fraction', bytes: framed([`content-length: ${body.length}.0`], body), ...refused },
  {
    name: 'a length with an exponent',
    bytes: framed(['content-length: 1e1'], body),
    ...refused,
  },
  { name: 'a length that is empty', bytes: framed(['content-length:'], body), ...refused },
  { name: 'a length that is a word', bytes: framed(['content-length: many'], body), ...refused },
  {
    name: 'a length beyond 64 bits',
    bytes: framed(['content-length: 18446744073709551616'], body),
    ...refused,
  },
  {
    name: 'a length with a space inside',
    bytes: framed([`content-length: ${String(body.length)[0]} ${String(body.length).slice(1)}`], body),
    ...refused,
  },
  {
    name: 'a length with a leading zero, which says the same to all',
    bytes: framed([`content-length: 0${body.length}`], body),
    answers: ['200'],
    after: 'open',
  },
  {
    name: 'a length under an underscore',
    bytes: framed([length, 'content_length: 3'], body),
    ...refused,
  },
  {
    name: 'a space before the colon of the length',
    bytes: framed([`content-length : ${body.length}`], body),
    ...refused,
  },
  {
    name: 'a space before the name of the length',
    bytes: framed(['accept: */*', ` content-length: ${body.length}`], body),
    ...refused,
  },
  {
    name: 'a tab before the colon of the coding',
    bytes: framed(['transfer-encoding\t: chunked'], chunkedBody),
    ...refused,
  },
  {
    name: 'a coding under an underscore',
    bytes: framed([length, 'transfer_encoding: chunked'], body),
    ...refused,
  },
  {
    name: 'a body without a length, which is the next request',
    bytes: framed([], chat()),
    answers: ['400 invalid_json', '200'],
    after: 'open',
  },
  {
    name: 'a length one short, so that the rest begins the next request',
    bytes: framed([`content-length: ${body.length - 1}`], body),
    answers: ['400 invalid_json'],
    after: 'closed',
  },
  {
    name: 'a whole request as the body of another',
    bytes: framed([`content-length: ${smuggled.length}`], smuggled),
    answers: ['400 invalid_json'],
    after: 'open',
  },
  {
    name: 'a whole request as a chunk of another',
    bytes: framed(['transfer-encoding: chunked'], `${chunk(smuggled)}0\r\n\r\n`),
    answers: ['400 invalid_json'],
    after: 'open',
  },
]
