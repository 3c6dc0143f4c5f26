import type { AssistantBlock } from '../../../canonical/content.ts'
import type { Reply } from '../../../canonical/reply.ts'
import type { Turn } from '../../../canonical/request.ts'
import type { ObservedCall } from '../call-channel.ts'
import { ask, saying } from './ask.ts'
import { type Check, type CheckVerdict, fails, notOffered, works } from './check.ts'
import { giveResults, temperatureTool } from './check-tools.ts'
import { callsOf, readAnswer, turnOf } from './judge-answer.ts'

const REASONING_TOKENS = 1_024
const ANSWER_TOKENS = 3_072

const question = saying(
  'Think about which of 9.11 and 9.9 is larger. Then use the tool get_temperature for the city "Paris". Last, say which number is larger, and the temperature.',
)

/** Whether reasoning comes back signed or encrypted, and is accepted unchanged in the next turn. */
export const reasoningCheck: Check = {
  name: 'reasoning',
  bounds: { calls: 2, inputTokens: 4_000, outputTokens: ANSWER_TOKENS },
  *run({ word }) {
    const terms = {
      tools: [temperatureTool],
      maxOutputTokens: ANSWER_TOKENS,
      reasoning: { mode: 'on', effort: 'low', budgetTokens: REASONING_TOKENS },
    } as const
    const first = yield ask([question], { ...terms, needs: ['thinking-mode'] })
    const answer = readAnswer(first)
    if (answer.type === 'judged') return answer.verdict
    const kind = findReasoning(answer.reply)
    if (kind === 'none') return judgeUnseenReasoning(first)
    const turns = [question, turnOf(answer.reply), goOn(answer.reply, word)]
    const needs = kind === 'sealed' ? sealedFeatures : plainFeatures
    const next = yield ask(turns, { ...terms, needs })
    return judgeRoundTrip(next, kind)
  },
}

/** The features that the next request must carry. Without them, its acceptance proves nothing. */
const sealedFeatures = ['thinking-signature', 'redacted-thinking'] as const
const plainFeatures = ['thinking'] as const

type ReasoningKind = 'sealed' | 'plain' | 'none'

/** `sealed`: only the provider that made the reasoning can read or verify it. */
function findReasoning({ choices }: Reply): ReasoningKind {
  const blocks = choices[0]?.content ?? []
  if (blocks.some(isSealed)) return 'sealed'
  return blocks.some(({ type }) => type === 'thinking') ? 'plain' : 'none'
}

function isSealed(block: AssistantBlock): boolean {
  if (block.type === 'redacted-thinking') return true
  return block.type === 'thinking' && block.signature !== undefined && block.signature !== ''
}

function goOn(reply: Reply, word: string): Turn {
  const calls = callsOf(reply)
  return calls.length === 0 ? saying('Thank you. Say it once more.') : giveResults(calls, word)
}

/** A round trip is impossible if there is nothing to send back. */
function judgeUnseenReasoning({ usage }: ObservedCall): CheckVerdict {
  const tokens = usage?.reasoningTokens ?? 0
  return tokens > 0 ? notOffered('reasoning_hidden', { tokens }) : fails('no_reasoning')
}

function judgeRoundTrip(call: ObservedCall, kind: Exclude<ReasoningKind, 'none'>): CheckVerdict {
  const answer = readAnswer(call)
  if (answer.type === 'answered')
    return works(kind === 'sealed' ? 'reasoning_accepted' : 'plain_reasoning_accepted')
  const { verdict } = answer
  return verdict.finding === 'refused' ? fails('reasoning_refused', verdict.details) : verdict
}
