import { describe, expect, it } from 'vitest'
import { inOneStep } from '../../kit/async/steps.ts'
import { emptyBody } from '../../upstream/upstream-body.ts'
import { conversationBound, type Lane, wholeJson } from '../lane/lane.ts'
import type { StreamRelay } from '../relay/stream-relay.ts'
import { createAnswerReader } from './answer-reader.ts'

const MEGABYTE = 1_048_576

/** A lane that hands on what it reads, and says how it read it. */
function openLane(): { readonly lane: Lane; readonly read: string[] } {
  const read: string[] = []
  const relay: StreamRelay = {
    hasContent: true,
    progress: 1,
    shownCharacters: 0,
    isComplete: false,
    failure: undefined,
    usage: undefined,
    servedTier: undefined,
    losses: [],
    heldBytes: 0,
    push(chunk) {
      read.push(`stream ${chunk.toString()}`)
      return [chunk]
    },
    end: () => [],
  }
  const lane: Lane = {
    kind: 'verbatim',
    path: '/',
    headers: {},
    body: emptyBody,
    whole: wholeJson,
    losses: [],
    createStreamRelay: () => relay,
    answerHeaders: [],
    answerBound: conversationBound,
    readWhole: (body) =>
      inOneStep(() => {
        read.push(`whole ${body.toString()}`)
        return { body, usage: undefined, losses: [] }
      }),
    readError: () => {
      throw new Error('no error')
    },
  }
  return { lane, read }
}

/** Reads an answer to a request for a stream, which comes under the type of JSON. */
function openReader() {
  const { lane, read } = openLane()
  const reader = createAnswerReader(lane, {
    status: 200,
    headers: { 'content-type': 'application/json' },
    isStream: true,
    receivedAtMs: 0,
    passed: {},
    relay: undefined,
  })
  return { reader, read }
}

describe('an answer whose bytes show whether it is a stream', () => {
  it.each([
    ['whole', '{"id":"c-1"}'],
    ['stream', 'data: {"id":"c-1"}\n\n'],
    ['stream', ': still here\n\n'],
  ])('is read as %s, for any split of it and of the white space before it: %j', (how, text) => {
    for (let cut = 1; cut < text.length; cut += 1) {
      const { reader, read } = openReader()
      for (const piece of [' \r\n', '\n', `\n${text.slice(0, cut)}`, text.slice(cut)]) {
        reader.push(Buffer.from(piece))
      }
      reader.end()
      expect(read.map((line) => line.replace(`${how} `, '')).join(''), `cut at ${cut}`).toBe(text)
      expect(
        read.every((line) => line.startsWith(`${how} `)),
        `cut at ${cut}`,
      ).toBe(true)
    }
  })

  it('is a failure when the white space never ends, at no cost in memory or time', () => {
    const { reader } = openReader()
    const blank = Buffer.alloc(64 * 1_024, ' ')
    const startedAtMs = performance.now()
    let bytes = 0
    let result = reader.push(blank)
    for (; result.type === 'more' && bytes < 256 * MEGABYTE; bytes += blank.length)
      result = reader.push(blank)
    expect(result).toMatchObject({ type: 'failure', failure: { code: 'upstream_bad_response' } })
    expect(bytes).toBeLessThanOrEqual(33 * MEGABYTE)
    expect(performance.now() - startedAtMs).toBeLessThan(2_000)
  })

  it('is a failure when it is only white space', () => {
    const { reader, read } = openReader()
    reader.push(Buffer.from(' \n'))
    expect(reader.end()).toMatchObject({ type: 'failure', failure: { code: 'upstream_empty' } })
    expect(read).toEqual([])
  })
})

const readAs = (contentType: string | undefined, isStream: boolean) => {
  const { lane, read } = openLane()
  const headers = { 'content-type': contentType }
  const reader = createAnswerReader(lane, {
    status: 200,
    headers,
    isStream,
    receivedAtMs: 0,
    passed: {},
    relay: undefined,
  })
  const result = reader.push(Buffer.from('data: {}\n\n'))
  reader.end()
  return { read, result }
}

it.each(['text/plain; charset=utf-8', 'text/event-stream', 'application/x-event-stream', '', undefined])(
  'an answer of the type %s is read by its content',
  (contentType) => {
    expect(readAs(contentType, true).read).toEqual(['stream data: {}\n\n'])
  },
)

it.each(['application/octet-stream', 'image/png', 'application/xml'])(
  'content of the type %s is a bad response, whatever it holds',
  (contentType) => {
    for (const isStream of [true, false]) {
      const { read, result } = readAs(contentType, isStream)
      expect(result).toMatchObject({ type: 'failure', failure: { code: 'upstream_bad_response' } })
      expect(read).toEqual([])
    }
  },
)
