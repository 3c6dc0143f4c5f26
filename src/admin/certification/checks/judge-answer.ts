import type { AssistantBlock, ToolCallBlock } from '../../../canonical/content.ts'
import type { Reply } from '../../../canonical/reply.ts'
import type { CallOutcome, ObservedCall, ObservedStream } from '../call-channel.ts'
import { type CheckVerdict, fails, notOffered, notTried } from './check.ts'

/**
 * Codes that prove nothing about the request: the channel was not reached, or is over its capacity now. A refusal or
 * a fault of the channel, in contrast, is an observation.
 */
const unansweredCodes: ReadonlySet<string> = new Set([
  'upstream_rate_limited',
  'upstream_overloaded',
  'upstream_unreachable',
  'upstream_quota',
  'upstream_credential',
  'upstream_tls',
  'destination_refused',
  'no_channel',
  'shutting_down',
  'ledger_unavailable',
  'rate_limit_exceeded',
  'budget_exceeded',
  'model_unpriced',
])

export interface Answered {
  readonly type: 'answered'
  readonly reply: Reply
  readonly stream: ObservedStream | undefined
}

export interface Judged {
  readonly type: 'judged'
  readonly verdict: CheckVerdict
}

export function judged(verdict: CheckVerdict): Judged {
  return { type: 'judged', verdict }
}

/** The answer of a conversation, or what its absence shows. */
export function readAnswer({ outcome }: ObservedCall): Answered | Judged {
  return outcome.type === 'reply'
    ? { type: 'answered', reply: outcome.reply, stream: outcome.stream }
    : judged(judgeUnanswered(outcome))
}

/** The conclusion from a call without the expected response. */
export function judgeUnanswered(outcome: CallOutcome): CheckVerdict {
  switch (outcome.type) {
    case 'not-offered':
      return outcome.losses.length === 0
        ? notOffered('no_endpoint')
        : notOffered('no_field', { fields: outcome.losses.map(({ feature }) => feature).join(', ') })
    case 'failed': {
      const { code, message, upstreamStatus } = outcome
      const details = { code, message, ...(upstreamStatus !== undefined && { status: upstreamStatus }) }
      return unansweredCodes.has(code) ? notTried('unanswered', details) : fails('refused', details)
    }
    case 'cancelled':
      return notTried('cancelled')
    case 'reply':
    case 'vectors':
    case 'count':
      return fails('other_answer')
  }
}

function contentOf({ choices }: Reply): readonly AssistantBlock[] {
  return choices[0]?.content ?? []
}

export function textOf(reply: Reply): string {
  return contentOf(reply)
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('')
}

export function callsOf(reply: Reply): readonly ToolCallBlock[] {
  return contentOf(reply).filter((block) => block.type === 'tool-call')
}

/** The reply as the assistant's turn of the next request. */
export function turnOf(reply: Reply) {
  return { role: 'assistant', content: contentOf(reply) } as const
}

export function includesWord(text: string, word: string): boolean {
  return text.toLowerCase().includes(word.toLowerCase())
}
