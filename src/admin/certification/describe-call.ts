// Evidence in short: what was sent and what came back, for a person who doubts a finding.
import type { Turn } from '../../canonical/request.ts'
import { plainLine } from '../../kit/bytes/plain-text.ts'
import type { CallOutcome, ChannelCall, ObservedCall } from './call-channel.ts'
import type { ReceivedFact, SentFact } from './evidence-contract.ts'

const MAX_CHARACTERS = 300

/** Reads what a call sends. */
export function readSentCall(call: ChannelCall): SentFact {
  const plain = { turn: 1, tool_results: 0, tools: 0, options: [] } satisfies Partial<SentFact>
  switch (call.type) {
    case 'embedding':
      return { ...plain, type: 'embeddings', texts: call.texts.map(shorten) }
    case 'token-count':
      return { ...plain, type: 'token_count', ...readTurns(call.request.turns) }
    case 'conversation': {
      const { turns, tools = [], outputFormat, reasoning, stream } = call.request
      const options: SentFact['options'] = []
      if (stream) options.push('streamed')
      if (outputFormat !== undefined) options.push('json_schema')
      if (reasoning !== undefined) options.push('reasoning')
      return { type: 'conversation', ...readTurns(turns), tools: tools.length, options }
    }
  }
}

/** Reads the last turn, and how many come before it. */
function readTurns(turns: readonly Turn[]): Pick<SentFact, 'texts' | 'turn' | 'tool_results'> {
  const last = turns.at(-1)
  const turn = Math.max(1, turns.length)
  if (last?.role === 'tool') return { turn, texts: [], tool_results: last.results.length }
  const parts = last?.content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)) ?? []
  return { turn, texts: [shorten(parts.join(' '))], tool_results: 0 }
}

/** Reads what came back, without secrets. */
export function readReceivedAnswer(
  { outcome, usage }: ObservedCall,
  redact: (text: string) => string,
): ReceivedFact {
  const outputTokens = usage?.isEstimated === true ? null : (usage?.outputTokens ?? null)
  return {
    answer: readAnswer(outcome, (text) => shorten(redact(text))),
    usage: usage === undefined ? null : { output_tokens: outputTokens },
  }
}

function readAnswer(outcome: CallOutcome, write: (text: string) => string): ReceivedFact['answer'] {
  switch (outcome.type) {
    case 'not-offered':
      return { type: 'not_sent' }
    case 'cancelled':
      return { type: 'cancelled' }
    case 'failed': {
      const { upstreamStatus: status = null, code: error, message } = outcome
      return { type: 'failed', status, error, message: write(message) }
    }
    case 'count':
      return { type: 'count', tokens: outcome.inputTokens }
    case 'vectors':
      return { type: 'vectors', count: outcome.vectors.length, numbers: outcome.vectors[0]?.length ?? 0 }
    case 'reply': {
      const [choice] = outcome.reply.choices
      const blocks = choice?.content.map((block) => {
        if (block.type === 'text') return block.text
        return block.type === 'tool-call' ? `${block.name}(${block.input})` : `(${block.type})`
      })
      return {
        type: 'reply',
        text: write(blocks?.join(' ') ?? ''),
        stop_reason: choice?.stopReason ?? null,
      }
    }
  }
}

export function describeSent({ type, texts, turn, tool_results: results, tools, options }: SentFact): string {
  if (type === 'embeddings')
    return shorten(`embeddings of ${texts.map((text) => JSON.stringify(text)).join(' and ')}`)
  const last = results > 0 ? `${results} tool result(s)` : texts.join(' ')
  const words = { streamed: 'streamed', json_schema: 'a JSON schema', reasoning: 'reasoning on' }
  const parts = [...(tools > 0 ? [`${tools} tool(s)`] : []), ...options.map((option) => words[option])]
  const before = type === 'token_count' ? 'token count of ' : ''
  const lastMessage = `${before}${turn > 1 ? `turn ${turn}: ` : ''}${last}`
  return shorten(parts.length === 0 ? lastMessage : `${lastMessage} [${parts.join(', ')}]`)
}

export function describeReceived({ answer, usage }: ReceivedFact): string {
  if (usage === null) return shorten(describeAnswer(answer))
  const { output_tokens: tokens } = usage
  return shorten(`${describeAnswer(answer)} [${tokens === null ? 'no usage' : `${tokens} output tokens`}]`)
}

function describeAnswer(answer: ReceivedFact['answer']): string {
  switch (answer.type) {
    case 'not_sent':
      return 'not sent'
    case 'cancelled':
      return 'cancelled'
    case 'failed':
      return `${answer.status ?? 'no status'} ${answer.error}: ${answer.message}`
    case 'count':
      return `${answer.tokens} tokens`
    case 'vectors':
      return `${answer.count} vector(s) of ${answer.numbers} numbers`
    case 'reply':
      return `${answer.text} (${answer.stop_reason ?? 'no stop reason'})`
  }
}

function shorten(text: string): string {
  const line = plainLine(text)
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS)} …`
}
