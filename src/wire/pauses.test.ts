import { describe, expect, it } from 'vitest'
import { countPauses } from '../../test/support/count-pauses.ts'
import { isFailure } from '../canonical/failure.ts'
import { type FormatId, formatIds } from '../canonical/format.ts'
import type { Reply } from '../canonical/reply.ts'
import type { ChatRequest } from '../canonical/request.ts'
import { ITEMS_A_STEP } from '../kit/async/steps.ts'
import type { JsonObject } from '../kit/json/json.ts'
import { chatFormat } from './chat/format.ts'
import { cohereFormat } from './cohere/format.ts'
import { converseFormat } from './converse/format.ts'
import { defaultDialect } from './dialect.ts'
import { geminiFormat } from './gemini/format.ts'
import { messagesFormat } from './messages/format.ts'
import { responsesFormat } from './responses/format.ts'

const callers = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
}

const channels = { ...callers, cohere: cohereFormat, converse: converseFormat }
/** The number of parts of a long list. */
const PARTS = 4
const MANY = ITEMS_A_STEP * PARTS

const bodies: Readonly<Record<FormatId, (count: number) => JsonObject>> = {
  chat: (count) => ({ model: 'm', messages: repeat(count, { role: 'user', content: 'a' }) }),
  messages: (count) => ({
    model: 'm',
    max_tokens: 9,
    messages: repeat(count, { role: 'user', content: 'a' }),
  }),
  responses: (count) => ({ model: 'm', input: repeat(count, { role: 'user', content: 'a' }) }),
  gemini: (count) => ({
    model: 'm',
    stream: false,
    contents: repeat(count, { role: 'user', parts: [{ text: 'a' }] }),
  }),
}

function repeat<Value>(count: number, value: Value): readonly Value[] {
  return Array.from({ length: count }, () => value)
}

describe('a conversation of many turns', () => {
  it.each(formatIds)('is read in the %s format as a whole, with pauses', (id) => {
    const body = bodies[id](MANY)
    const { value, pauses } = countPauses(callers[id].readRequestInSteps(body))
    expect(value).toEqual(callers[id].readRequest(body))
    expect(pauses).toBeGreaterThanOrEqual(PARTS)
    expect(countPauses(callers[id].readRequestInSteps(bodies[id](2))).pauses).toBe(0)
  })

  it.each(Object.entries(channels))('is written in the %s format as a whole, with pauses', (_id, format) => {
    const target = { model: 'up', dialect: defaultDialect }
    const [many, few] = [MANY, 2].map((count): ChatRequest => chatFormat.readRequest(talk(count)))
    if (many === undefined || few === undefined) throw new Error('nothing is asked')
    const { value, pauses } = countPauses(format.writeRequestInSteps(many, target))
    expect(value).toEqual(format.writeRequest(many, target))
    expect(pauses - countPauses(format.writeRequestInSteps(few, target)).pauses).toBeGreaterThanOrEqual(PARTS)
  })
})

/** In an order that every provider takes. */
function talk(count: number): JsonObject {
  const roles = ['user', 'assistant'] as const
  const messages = Array.from({ length: count }, (_, index) => ({
    role: roles[index % 2] ?? '',
    content: 'a',
  }))
  return { model: 'm', messages }
}

const calls = repeat(5_000, { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } })
const toolUse = { toolUseId: 'c', name: 'f', input: {} }

describe('an answer with more parts than any real one', () => {
  it.each([
    ['chat', { id: 'r', model: 'm', choices: [{ message: { tool_calls: calls }, finish_reason: 'stop' }] }],
    ['cohere', { id: 'r', finish_reason: 'COMPLETE', message: { role: 'assistant', tool_calls: calls } }],
    ['converse', { stopReason: 'end_turn', output: { message: { content: repeat(5_000, { toolUse }) } } }],
    [
      'gemini',
      { candidates: [{ content: { parts: repeat(5_000, { functionCall: { name: 'f', args: {} } }) } }] },
    ],
  ] as const)('is refused in the %s format before it is read', (id, body) => {
    expect(channels[id].readReply(body)).toMatchObject({
      code: 'upstream_bad_response',
      message: 'The model provider sent an answer of more than 4096 parts and tool calls.',
    })
  })
})

describe('an answer with many parts', () => {
  it('is read in the responses format as a whole, with pauses', () => {
    const output = Array.from({ length: MANY }, (_, index) => ({
      type: 'function_call',
      id: `fc_${index}`,
      call_id: `call_${index}`,
      name: 'f',
      arguments: '{}',
      status: 'completed',
    }))
    const body = { id: 'r', object: 'response', model: 'm', status: 'completed', output }
    const { value, pauses } = countPauses(responsesFormat.readReplyInSteps(body))
    expect(isFailure(value) ? value : value.choices[0]?.content.length).toBe(MANY)
    expect(pauses).toBeGreaterThanOrEqual(PARTS)
  })

  it('is written in the Gemini format as a whole, with pauses between its log probabilities', () => {
    const entry = { token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }
    const content = repeat(MANY, entry)
    const reply: Reply = { id: 'r', model: 'm', choices: [{ content: [], logprobs: { content } }] }
    const steps = geminiFormat.writeReplyInSteps?.(reply)
    if (steps === undefined) throw new Error('it has no steps')
    const { value, pauses } = countPauses(steps)
    expect(value.value).toEqual({
      modelVersion: 'm',
      responseId: 'r',
      candidates: [
        {
          content: { role: 'model' },
          finishReason: 'STOP',
          index: 0,
          logprobsResult: {
            chosenCandidates: repeat(MANY, { token: 'a', logProbability: -1 }),
            topCandidates: repeat(MANY, { candidates: [] }),
          },
        },
      ],
    })
    expect(pauses).toBeGreaterThanOrEqual(PARTS)
  })
})
