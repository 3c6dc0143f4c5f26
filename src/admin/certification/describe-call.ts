// Evidence in short: what was sent and what came back, for a person who doubts a finding.
import type { Turn } from '../../canonical/request.ts'
import { plainLine } from '../../kit/bytes/plain-text.ts'
import type { CallOutcome, ChannelCall, ObservedCall } from './call-channel.ts'

const MAX_CHARACTERS = 300

export function describeCall(call: ChannelCall): string {
  switch (call.type) {
    case 'embedding':
      return shorten(`embeddings of ${call.texts.map((text) => JSON.stringify(text)).join(' and ')}`)
    case 'token-count':
      return shorten(`token count of ${describeTurns(call.request.turns)}`)
    case 'conversation': {
      const { request } = call
      const { turns, tools = [], outputFormat, reasoning, stream } = request
      const parts = [
        stream ? 'streamed' : undefined,
        tools.length > 0 ? `${tools.length} tool(s)` : undefined,
        outputFormat === undefined ? undefined : 'a JSON schema',
        reasoning === undefined ? undefined : 'reasoning on',
      ].filter((part) => part !== undefined)
      return shorten(`${describeTurns(turns)}${parts.length === 0 ? '' : ` [${parts.join(', ')}]`}`)
    }
  }
}

/** The last turn, and how many came before it. */
function describeTurns(turns: readonly Turn[]): string {
  const last = turns.at(-1)
  const before = turns.length > 1 ? `turn ${turns.length}: ` : ''
  return before + (last === undefined ? '' : describeTurn(last))
}

function describeTurn(turn: Turn): string {
  if (turn.role === 'tool') return `${turn.results.length} tool result(s)`
  const parts = turn.content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`))
  return parts.join(' ')
}

export function describeOutcome({ outcome, usage }: ObservedCall): string {
  const tokens =
    usage === undefined ? '' : ` [${usage.isEstimated ? 'no usage' : `${usage.outputTokens} output tokens`}]`
  return shorten(describeAnswer(outcome) + tokens)
}

function describeAnswer(outcome: CallOutcome): string {
  switch (outcome.type) {
    case 'not-offered':
      return 'not sent'
    case 'cancelled':
      return 'cancelled'
    case 'failed':
      return `${outcome.upstreamStatus ?? 'no status'} ${outcome.code}: ${outcome.message}`
    case 'count':
      return `${outcome.inputTokens} tokens`
    case 'vectors':
      return `${outcome.vectors.length} vector(s) of ${outcome.vectors[0]?.length ?? 0} numbers`
    case 'reply': {
      const [choice] = outcome.reply.choices
      const blocks = choice?.content.map((block) => {
        if (block.type === 'text') return block.text
        return block.type === 'tool-call' ? `${block.name}(${block.input})` : `(${block.type})`
      })
      return `${blocks?.join(' ') ?? ''} (${choice?.stopReason ?? 'no stop reason'})`
    }
  }
}

function shorten(text: string): string {
  const line = plainLine(text)
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS)} …`
}
