import { deflateSync, gzipSync } from 'node:zlib'
import { chat, chatBody, type RawCase, raw, utf8 } from '../raw-case.ts'

const wrong = { answers: ['415 unsupported_media_type'], after: 'closed' } as const
const served = { answers: ['200'], after: 'open' } as const

function typed(type: string): string {
  return chat({ without: ['content-type'], headers: [`content-type: ${type}`] })
}

function encoded(encoding: string, body = chatBody()): string {
  return raw({ headers: [`content-encoding: ${encoding}`], body })
}

const gzipped = gzipSync(chatBody()).toString('latin1')
const deflated = deflateSync(chatBody()).toString('latin1')

/** The declared encoding of a body, and its actual bytes. */
export const encodingCases: readonly RawCase[] = [
  { name: 'gzip', bytes: encoded('gzip', gzipped), ...wrong, says: 'content encoding' },
  { name: 'x-gzip', bytes: encoded('x-gzip', gzipped), ...wrong },
  { name: 'deflate', bytes: encoded('deflate', deflated), ...wrong },
  { name: 'br', bytes: encoded('br'), ...wrong },
  { name: 'zstd', bytes: encoded('zstd'), ...wrong },
  { name: 'gzip twice', bytes: encoded('gzip, gzip', gzipped), ...wrong },
  { name: 'an encoding that is unknown', bytes: encoded('rot13'), ...wrong },
  { name: 'identity', bytes: encoded('identity'), ...served },
  { name: 'Identity in capitals', bytes: encoded('Identity'), ...served },
  { name: 'an empty encoding', bytes: encoded(''), ...served },
  {
    name: 'gzip that is not said',
    bytes: raw({ body: gzipped }),
    answers: ['400 invalid_utf8'],
    after: 'open',
  },
  { name: 'no type', bytes: chat({ without: ['content-type'] }), ...wrong },
  { name: 'an empty type', bytes: typed(''), ...wrong },
  { name: 'text', bytes: typed('text/plain'), ...wrong },
  { name: 'a form', bytes: typed('application/x-www-form-urlencoded'), ...wrong },
  { name: 'a form with parts', bytes: typed('multipart/form-data; boundary=a'), ...wrong },
  { name: 'text/json', bytes: typed('text/json'), ...wrong },
  { name: 'a type that begins like JSON', bytes: typed('application/jsonp'), ...wrong },
  { name: 'JSON of another kind', bytes: typed('application/vnd.api+json'), ...wrong },
  { name: 'JSON in capitals', bytes: typed('Application/JSON'), ...served },
  { name: 'JSON with a character set', bytes: typed('application/json; charset=utf-8'), ...served },
  {
    name: 'JSON with a character set in quotes',
    bytes: typed('application/json;charset="UTF-8"'),
    ...served,
  },
  { name: 'JSON with UTF8 without its hyphen', bytes: typed('application/json; charset=utf8'), ...served },
  { name: 'JSON with another parameter', bytes: typed('application/json; a=b'), ...served },
  { name: 'JSON in ASCII', bytes: typed('application/json; charset=us-ascii'), ...served },
  { name: 'JSON in UTF-16', bytes: typed('application/json; charset=utf-16'), ...wrong, says: 'UTF-8' },
  { name: 'JSON in Latin 1', bytes: typed('application/json; charset=iso-8859-1'), ...wrong },
  { name: 'JSON in UTF-7', bytes: typed('application/json; charset=utf-7'), ...wrong },
  { name: 'two types in one header', bytes: typed('application/json, text/plain'), ...wrong },
  {
    name: 'a byte order mark',
    bytes: raw({ body: utf8(`\ufeff${chatBody()}`) }),
    answers: ['400 invalid_json'],
    after: 'open',
  },
  {
    name: 'UTF-16 that is not said',
    bytes: raw({ body: Buffer.from(chatBody(), 'utf16le').toString('latin1') }),
    answers: ['400 invalid_json'],
    after: 'open',
  },
  {
    name: 'UTF-16 with its mark',
    bytes: raw({ body: `\xff\xfe${Buffer.from(chatBody(), 'utf16le').toString('latin1')}` }),
    answers: ['400 invalid_utf8'],
    after: 'open',
  },
  { name: 'Latin 1', bytes: raw({ body: chatBody('\xe9') }), answers: ['400 invalid_utf8'], after: 'open' },
  {
    name: 'a character cut off',
    bytes: raw({ body: chatBody('\xe2\x82') }),
    answers: ['400 invalid_utf8'],
    after: 'open',
  },
  {
    name: 'a character written too long',
    bytes: raw({ body: chatBody('\xc0\xaf') }),
    answers: ['400 invalid_utf8'],
    after: 'open',
  },
  {
    name: 'half a pair as bytes',
    bytes: raw({ body: chatBody('\xed\xa0\x80') }),
    answers: ['400 invalid_utf8'],
    after: 'open',
  },
  {
    name: 'a character beyond Unicode',
    bytes: raw({ body: chatBody('\xf4\x90\x80\x80') }),
    answers: ['400 invalid_utf8'],
    after: 'open',
  },
  { name: 'every plane of Unicode', bytes: raw({ body: utf8(chatBody('é€😀\u2028')) }), ...served },
]
