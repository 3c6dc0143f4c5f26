import type { FaultInput } from '../script/fault-schema.ts'
import { both, type ReadyScript, readyScript, streams } from './ready-script.ts'

type Row = readonly [name: string, description: string, forms: ReadyScript['forms'], fault: FaultInput]

/** A short answer, since every byte takes a millisecond. */
const short = { answer: { words: 5 } }

const early: readonly Row[] = [
  ['F36-gzip', 'compressed with gzip without being asked', both, { encode: { by: 'gzip' } }],
  ['F36-br', 'compressed with Brotli without being asked', both, { encode: { by: 'br' } }],
  ['F36-deflate', 'compressed with deflate without being asked', both, { encode: { by: 'deflate' } }],
  [
    'F36-undeclared',
    'compressed without a content-encoding header',
    both,
    { encode: { by: 'gzip', declared: false } },
  ],
  ['F36-bomb', 'a gigabyte of spaces in a megabyte of gzip', both, { encode: { by: 'gzip', bomb: '1GB' } }],
  ['F38-burst', 'all events in one write', streams, { burst: true }],
  ['F39-drip', 'one byte per second', both, { drip: { bytes: 1, every: '1s' } }],
  [
    'F40-spaces',
    'endless spaces',
    ['whole'],
    { reply: { body: ' ', content_type: 'application/json' }, endless: { every: '10ms' } },
  ],
  [
    'F41-informational',
    'five 103 responses before the answer',
    both,
    { framing: { informational: { status: 103, times: 5 } } },
  ],
  [
    'F41-flood',
    'a thousand 103 responses before the answer',
    both,
    { framing: { informational: { status: 103, times: 1000 } } },
  ],
  ['F41-204', '204 without a body', both, { reply: { status: 204 } }],
  [
    'F41-101',
    '101 without being asked',
    both,
    { reply: { status: 101, headers: { upgrade: 'weather', connection: 'upgrade' } } },
  ],
  [
    'F41-302',
    'a redirect',
    both,
    { reply: { status: 302, body: '', headers: { location: 'http://127.0.0.1:9/' } } },
  ],
  [
    'F42-early',
    '413 before the body is read, then a close',
    both,
    { early: true, reply: { error: 'too-large' }, connection: 'close' },
  ],
  ['F43-trailers', 'trailers after the body', both, { framing: { chunked: 'trailers' } }],
  [
    'F43-two-lengths',
    'two different content-length headers',
    both,
    { framing: { content_length: 'conflicting' } },
  ],
  [
    'F43-length-and-chunks',
    'content-length and chunked coding together',
    both,
    { framing: { content_length: 'with-chunked' } },
  ],
  ['F43-bad-chunk', 'a chunk size that is not a number', both, { framing: { chunked: 'bad-size' } }],
  ['F43-negative-length', 'a negative content-length', both, { framing: { content_length: 'negative' } }],
  ['F43-status-line', 'an invalid status line', both, { framing: { status_line: 'HELLO 200' } }],
  [
    'F43-header-flood',
    'ten thousand headers',
    both,
    { framing: { header_flood: { count: 10_000, bytes: 64 } } },
  ],
]

const late: readonly Row[] = [
  [
    'F36-cut',
    'compressed, and cut after ten words',
    streams,
    { encode: { by: 'gzip' }, cut: { after: { words: 10 }, by: 'fin' } },
  ],
  [
    'F37-large',
    'one event of ten megabytes',
    streams,
    { events: [{ insert: 'oversized', bytes: '10MB', after: { words: 10 } }] },
  ],
  [
    'F37-oversized',
    'one event of twenty megabytes',
    streams,
    { events: [{ insert: 'oversized', bytes: '20MB', after: { words: 10 } }] },
  ],
  [
    'F39-drip-later',
    'ten words, then one byte per second',
    streams,
    { drip: { bytes: 1, every: '1s', after: { words: 10 } } },
  ],
  ['F40-endless', 'endless words', streams, { endless: { every: '5ms' } }],
  [
    'F43-bad-chunk-end',
    'ten words, then chunks without their CRLF',
    streams,
    { framing: { chunked: 'bad-end', chunked_after: { words: 10 } } },
  ],
  [
    'F44-extra',
    'bytes after the answer',
    both,
    { framing: { extra: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nno' } },
  ],
  [
    'F44-length-short',
    'the body is longer than its content-length',
    ['whole'],
    { framing: { content_length: 'short' } },
  ],
]

/** F36 to F44: the content is valid, its transport is faulty. */
export const transportFaults: readonly ReadyScript[] = [
  ...early.map(([name, description, forms, always]) =>
    readyScript({ name, description, phase: 'before-content', forms, always }),
  ),
  ...late.map(([name, description, forms, always]) =>
    readyScript({ name, description, phase: 'after-content', forms, always }),
  ),
  readyScript({
    name: 'F38-bytes',
    description: 'one byte per write',
    phase: 'before-content',
    forms: both,
    script: short,
    always: { drip: { bytes: 1, every: '1ms' } },
  }),
]
