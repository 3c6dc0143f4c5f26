import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  cohereContent,
  cohereEnd,
  cohereStart,
  cohereUsage,
  foldCohere,
  readCohereStream,
} from '../../../test/support/cohere-stream.ts'
import { loadCases } from '../../../test/support/corpus.ts'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import { jsonArbitrary, textArbitrary } from '../../../test/support/value-arbitraries.ts'
import { foldReply } from '../../canonical/fold-reply.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { readReply } from './reply/read-reply.ts'

/** An answer in one normal form. */
interface Said {
  readonly plan: string
  readonly parts: readonly { readonly type: 'text' | 'thinking'; readonly text: string }[]
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[]
  readonly finish: string
  readonly cached: number
}

const saidArbitrary: fc.Arbitrary<Said> = fc.record({
  plan: textArbitrary,
  parts: fc.array(
    fc.record({ type: fc.constantFrom('text' as const, 'thinking' as const), text: textArbitrary }),
    {
      maxLength: 3,
    },
  ),
  calls: fc.array(fc.record({ id: textArbitrary, name: textArbitrary, input: textArbitrary }), {
    maxLength: 3,
  }),
  finish: fc.constantFrom('COMPLETE', 'MAX_TOKENS', 'TOOL_CALL', 'STOP_SEQUENCE', 'NEW'),
  cached: fc.nat(600),
})

function tellWhole({ plan, parts, calls, finish, cached }: Said): JsonObject {
  return {
    id: 'reply-1',
    message: {
      role: 'assistant',
      tool_plan: plan,
      content: parts.map(({ type, text }) => ({ type, [type]: text })),
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: input },
      })),
    },
    finish_reason: finish,
    usage: { ...cohereUsage, cached_tokens: cached },
  }
}

function tellStream({ plan, parts, calls, finish, cached }: Said): readonly JsonObject[] {
  const halves = (text: string) => [text.slice(0, 1), text.slice(1)]
  return [
    cohereStart,
    ...(plan === ''
      ? []
      : halves(plan).map((text) => ({ type: 'tool-plan-delta', delta: { message: { tool_plan: text } } }))),
    ...parts.flatMap(({ type, text }, index) => [
      cohereContent('start', index, { type, [type]: '' }),
      ...halves(text).map((half) => cohereContent('delta', index, { [type]: half })),
      { type: 'content-end', index },
    ]),
    ...calls.flatMap(({ id, name, input }, index) => [
      {
        type: 'tool-call-start',
        index,
        delta: { message: { tool_calls: { id, function: { name, arguments: '' } } } },
      },
      ...halves(input).map((half) => ({
        type: 'tool-call-delta',
        index,
        delta: { message: { tool_calls: { function: { arguments: half } } } },
      })),
      { type: 'tool-call-end', index },
    ]),
    cohereEnd(finish, { usage: { ...cohereUsage, cached_tokens: cached } }),
  ]
}

describe('laws', () => {
  it('an answer is the same as a whole and as a stream', () => {
    fc.assert(
      fc.property(saidArbitrary, (said) => {
        expect(foldCohere(tellStream(said))).toEqual(readReply(tellWhole(said)))
      }),
      { numRuns: LAW_RUNS },
    )
  })

  const recorded = loadCases({ api: 'cohere.chat' })
  it.skipIf(recorded === undefined)('any split of a recorded stream gives the same events', () => {
    const streams = (recorded ?? []).flatMap(({ response }) => response.sse ?? [])
    for (const stream of streams) {
      const whole = foldReply(readCohereStream(stream))
      for (const step of [1, 2, 7, 61]) expect(foldReply(readCohereStream(stream, step))).toEqual(whole)
    }
  })

  it('no input makes a reader throw', () => {
    const names = [
      'message-start',
      'content-start',
      'content-delta',
      'tool-plan-delta',
      'tool-call-start',
      'tool-call-delta',
      'citation-start',
      'message-end',
    ]
    const event = fc.record({ type: fc.constantFrom(...names), index: jsonArbitrary, delta: jsonArbitrary })
    const nested = fc.record({
      type: fc.constantFrom(...names),
      index: fc.nat(2),
      delta: fc.record({
        message: fc.record({
          content: jsonArbitrary,
          tool_calls: jsonArbitrary,
          citations: jsonArbitrary,
          tool_plan: jsonArbitrary,
        }),
      }),
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(event, nested)), (events) => {
        const reply = foldReply(
          readCohereStream(events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')),
        )
        expect('code' in reply ? reply.code : '').not.toBe('internal_error')
      }),
      { numRuns: LAW_RUNS },
    )
    fc.assert(
      fc.property(jsonArbitrary, (body) => {
        expect(readReply(body)).toBeTypeOf('object')
      }),
      { numRuns: LAW_RUNS },
    )
    const bodies = fc.record({
      message: fc.record({ content: jsonArbitrary, citations: jsonArbitrary, tool_calls: jsonArbitrary }),
      usage: jsonArbitrary,
    })
    fc.assert(
      fc.property(bodies, (body) => {
        expect(readReply(body)).toBeTypeOf('object')
      }),
      { numRuns: LAW_RUNS },
    )
  })
})
