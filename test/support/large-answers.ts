import type { ChannelFormatId } from '../../src/canonical/format.ts'

/** Whole answers of one kind of content, as large as a number of bytes says. */
export const answerShapes = ['calls', 'logprobs', 'choices', 'texts', 'text', 'deep', 'numbers'] as const
export type AnswerShape = (typeof answerShapes)[number]

/** The number of calls, within the bounds of an answer's parts and values. */
const CALLS = 4_000
const TEXTS = 4_000
const CHOICES = 100
const LIKELIHOODS = 22_000
const DEPTH = 200
const NUMBERS = 200_000

interface Part {
  readonly text?: string
  readonly input?: object
}

interface Content {
  readonly choices: readonly (readonly Part[])[]
  readonly logprobs?: readonly object[]
  readonly more?: object
}

const repeat = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index))

function contentOf(shape: AnswerShape, bytes: number): Content {
  const words = (count: number) => 'grüße\n'.repeat(Math.floor((bytes / count - 220) / 10))
  const one = [[{ text: 'x' }]]
  switch (shape) {
    case 'calls':
      return { choices: [repeat(CALLS, () => ({ input: { path: words(CALLS) } }))] }
    case 'logprobs':
      return { choices: one, logprobs: repeat(LIKELIHOODS, likelihood) }
    case 'choices':
      return { choices: repeat(CHOICES, () => [{ text: words(CHOICES) }]) }
    case 'texts':
      return { choices: [repeat(TEXTS, () => ({ text: words(TEXTS) }))] }
    case 'text':
      return { choices: [[{ text: words(1) }]] }
    case 'deep':
      return { choices: one, more: deepFields(bytes) }
    case 'numbers':
      return { choices: one, more: wideNumbers(bytes) }
  }
}

function likelihood(): object {
  const of = { token: 'the', logprob: -0.123456 }
  return { ...of, bytes: [116, 104, 101], top_logprobs: [of] }
}

/** Nested as deeply as it may be, many times over. */
function deepFields(bytes: number): object {
  const count = Math.min(1_000, Math.floor(bytes / (DEPTH * 6)))
  const fill = 'x'.repeat(Math.max(0, Math.floor(bytes / count) - DEPTH * 6 - 20))
  const nest = (level: number): object => (level === 0 ? { fill } : { a: nest(level - 1) })
  return { vendor: repeat(count, () => nest(DEPTH)) }
}

/** Integers that no double holds. */
function wideNumbers(bytes: number): object {
  const wide = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('12345678901234567890')
  return { vendor: repeat(Math.min(NUMBERS, Math.floor((bytes - 2_000) / 21)), () => wide) }
}

type Write = (content: Content) => object

const chat: Write = ({ choices, logprobs, more }) => ({
  id: 'c-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  ...more,
  choices: choices.map((parts, index) => ({
    index,
    finish_reason: parts.some(({ input }) => input) ? 'tool_calls' : 'stop',
    message: {
      role: 'assistant',
      content: textOf(parts),
      ...chatCalls(parts),
    },
    logprobs: logprobs === undefined ? null : { content: logprobs, refusal: null },
  })),
})

function textOf(parts: readonly Part[]): string | null {
  const texts = parts.flatMap(({ text }) => text ?? [])
  return texts.length === 0 ? null : texts.join('')
}

function chatCalls(parts: readonly Part[]): object {
  const calls = parts.flatMap(({ input }, index) =>
    input === undefined
      ? []
      : { id: `call-${index}`, type: 'function', function: { name: 'f', arguments: JSON.stringify(input) } },
  )
  return calls.length === 0 ? {} : { tool_calls: calls }
}

const messages: Write = ({ choices, more }) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  ...more,
  content: choices
    .flat()
    .map(({ text, input }, index) =>
      input === undefined
        ? { type: 'text', text }
        : { type: 'tool_use', id: `toolu_${index}`, name: 'f', input },
    ),
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
})

const responses: Write = ({ choices, logprobs = [], more }) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'completed',
  ...more,
  output: choices.flat().map(({ text, input }, index) =>
    input === undefined
      ? {
          type: 'message',
          id: `msg_${index}`,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [], logprobs }],
        }
      : {
          type: 'function_call',
          id: `fc_${index}`,
          call_id: `call_${index}`,
          name: 'f',
          arguments: JSON.stringify(input),
          status: 'completed',
        },
  ),
})

const gemini: Write = ({ choices, logprobs, more }) => ({
  responseId: 'r',
  modelVersion: 'm',
  ...more,
  candidates: choices.map((parts, index) => ({
    index,
    finishReason: 'STOP',
    content: {
      role: 'model',
      parts: parts.map(({ text, input }) =>
        input === undefined ? { text } : { functionCall: { name: 'f', args: input } },
      ),
    },
    ...(logprobs === undefined ? {} : { logprobsResult: geminiLikelihoods(logprobs.length) }),
  })),
})

function geminiLikelihoods(count: number): object {
  const of = { token: 'the', tokenId: 7, logProbability: -0.123456 }
  const chosenCandidates = repeat(count, () => of)
  return { chosenCandidates, topCandidates: chosenCandidates.map((token) => ({ candidates: [token] })) }
}

const cohere: Write = ({ choices, more }) => {
  const parts = choices.flat()
  const texts = parts.flatMap(({ text }) => (text === undefined ? [] : { type: 'text', text }))
  return {
    id: 'c-1',
    finish_reason: 'COMPLETE',
    ...more,
    message: { role: 'assistant', ...(texts.length === 0 ? {} : { content: texts }), ...chatCalls(parts) },
  }
}

const converse: Write = ({ choices, more }) => ({
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  ...more,
  output: {
    message: {
      role: 'assistant',
      content: choices
        .flat()
        .map(({ text, input }, index) =>
          input === undefined ? { text } : { toolUse: { toolUseId: `call-${index}`, name: 'f', input } },
        ),
    },
  },
})

const writers: Readonly<Record<ChannelFormatId, Write>> = {
  chat,
  messages,
  responses,
  gemini,
  cohere,
  converse,
}

type LargeAnswer = (shape: AnswerShape, bytes: number) => object

const answerOf =
  (channel: ChannelFormatId): LargeAnswer =>
  (shape, bytes) =>
    writers[channel](contentOf(shape, bytes))

export const largeAnswers: Readonly<Record<ChannelFormatId, LargeAnswer>> = {
  chat: answerOf('chat'),
  messages: answerOf('messages'),
  responses: answerOf('responses'),
  gemini: answerOf('gemini'),
  cohere: answerOf('cohere'),
  converse: answerOf('converse'),
}
