import { createSchemaInstance } from './create-schema-instance.ts'
import type { DemoMessage, DemoRequest } from './demo-request.ts'
import { type DemoCall, planToolCalls, resultsOf } from './demo-tools.ts'

/** An answer, split into the pieces of its stream. Each piece is one token. */
export interface DemoAnswer {
  readonly textPieces: readonly string[]
  readonly calls: readonly { readonly name: string; readonly argumentPieces: readonly string[] }[]
  readonly finishReason: 'stop' | 'length' | 'tool_calls'
  readonly promptTokens: number
  readonly completionTokens: number
}

const MAX_ECHO_CHARACTERS = 400
const CHARACTERS_PER_TOKEN = 4

const topics: readonly (readonly [RegExp, string])[] = [
  [
    /\bkeys?\b/i,
    'Callers of Headgate use keys that begin with sk-hg-. "headgate keys create" makes one, "headgate keys list" shows them and "headgate keys revoke" ends one at once.',
  ],
  [
    /\b(channels?|providers?|openai|anthropic|ollama)\b/i,
    'A channel is a way to a provider. Each is a few lines in headgate.yaml: a name, the provider, its key and the models; several channels may serve the same model, and when one fails another takes over.',
  ],
  [
    /\b(tools?|functions?|agents?)\b/i,
    'Offer me tools and ask me to use one by its name: I call it with arguments that fit its schema and tell you what it answered.',
  ],
  [
    /\b(models?)\b/i,
    'GET /v1/models lists what your key may use. Here that is demo-chat and demo-embed, until a real channel is set up.',
  ],
  [
    /\b(sdks?|base|url|address|claude code)\b/i,
    "Point an OpenAI SDK at this gateway's address with /v1 at its end, and an Anthropic SDK or Claude Code at the same address without it.",
  ],
]

const introduction =
  'To hear a real model, put a key such as OPENAI_API_KEY or ANTHROPIC_API_KEY into the environment, or a channel into headgate.yaml, and start Headgate again.'

/** Computes the demo model's answer to a request. Pure and deterministic. */
export function planDemoAnswer(request: DemoRequest): DemoAnswer {
  const question = questionOf(request.messages)
  const calls = planToolCalls(request, question)
  const text = calls.length > 0 ? '' : cutAtStop(answerText(request, question), request.stop)
  return capAnswer(splitWords(text), calls, request)
}

/** Finds the last text that the user wrote. Agents add notes around it in tags. */
function questionOf(messages: readonly DemoMessage[]): string {
  const texts = messages.filter(({ role }) => role === 'user').flatMap((message) => message.texts)
  return (texts.findLast((text) => !/^\s*<[a-z-]+>/i.test(text)) ?? texts.at(-1) ?? '').trim()
}

function answerText(request: DemoRequest, question: string): string {
  const { output, messages } = request
  if (output.type === 'schema') return JSON.stringify(createSchemaInstance(output.schema))
  const text = plainAnswer(messages, question)
  return output.type === 'json' ? JSON.stringify({ answer: text }) : text
}

function plainAnswer(messages: readonly DemoMessage[], question: string): string {
  const results = resultsOf(messages).map(({ texts }) => shorten(texts.join('\n')))
  if (results.length === 1) return `The tool answered: ${results[0]}`
  if (results.length > 1) return `The tools answered:\n${results.map((each) => `- ${each}`).join('\n')}`
  const attachments = messages.at(-1)?.attachments ?? 0
  const seen = attachments === 0 ? '' : ` With it came ${attachments} part(s) that I cannot see into.`
  const topic = topics.find(([pattern]) => pattern.test(question))?.[1] ?? introduction
  return `Hello from the demo model inside Headgate. You said: “${shorten(question)}”.${seen} ${topic}`
}

function shorten(text: string): string {
  const characters = [...text]
  return characters.length <= MAX_ECHO_CHARACTERS
    ? text
    : `${characters.slice(0, MAX_ECHO_CHARACTERS).join('')} …`
}

function cutAtStop(text: string, stops: readonly string[]): string {
  const ends = stops.map((stop) => text.indexOf(stop)).filter((at) => at !== -1)
  return text.slice(0, Math.min(text.length, ...ends))
}

/** Splits a text into words, each with the space before it. */
function splitWords(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/g) ?? []
}

function splitArguments(text: string): readonly string[] {
  return text.match(/.{1,8}/gsu) ?? []
}

function capAnswer(words: readonly string[], calls: readonly DemoCall[], request: DemoRequest): DemoAnswer {
  let wanted = 0
  const cap = (pieces: readonly string[]) => {
    const fitting = pieces.slice(0, Math.max(0, request.maxTokens - wanted))
    wanted += pieces.length
    return fitting
  }
  const textPieces = cap(words)
  const capped = calls.map((call) => ({
    name: call.name,
    argumentPieces: cap(splitArguments(JSON.stringify(call.arguments))),
  }))
  const finished = calls.length > 0 ? 'tool_calls' : 'stop'
  return {
    textPieces,
    calls: capped.filter((call) => call.argumentPieces.length > 0),
    finishReason: wanted > request.maxTokens ? 'length' : finished,
    promptTokens: countTokens(request.messages.flatMap(({ texts }) => texts)),
    completionTokens: Math.min(wanted, request.maxTokens) * request.choices,
  }
}

/** Estimates the tokens that a real model would count, at least 1. */
export function countTokens(texts: readonly string[]): number {
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  return Math.max(1, Math.ceil(characters / CHARACTERS_PER_TOKEN))
}
