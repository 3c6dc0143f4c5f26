import type { JsonValue } from '../kit/json/json.ts'
import type { AssistantBlock } from './content.ts'
import type { Extras } from './format.ts'
import type { ServedTier } from './served-tier.ts'
import { addUsage, type Usage } from './usage.ts'

export const stopReasons = [
  'end',
  'length',
  'stop-sequence',
  'tool-calls',
  'content-filter',
  'refusal',
  'pause',
  'context-window',
] as const
export type StopReason = (typeof stopReasons)[number]

/** The reasons of an answer that was cut off, perhaps within the input of a call. */
const cuts: ReadonlySet<StopReason | undefined> = new Set([
  'length',
  'context-window',
  'content-filter',
  'refusal',
])

export function isCutOff(stopReason: StopReason | undefined): boolean {
  return cuts.has(stopReason)
}

export interface Choice {
  readonly content: readonly AssistantBlock[]
  /** Absent only where the provider gave no reason. */
  readonly stopReason?: StopReason
  /** The sequence that ended the answer, where the provider reports it. */
  readonly stopSequence?: string
  readonly logprobs?: LogProbs
  readonly extras?: Extras
}

/** Log probabilities as lists of the provider's own entries, one for each token. */
export interface LogProbs {
  readonly content?: readonly JsonValue[]
  readonly refusal?: readonly JsonValue[]
}

/** A whole answer: the fold of its events. */
export interface Reply {
  readonly id: string
  /** The model name that the upstream returned. */
  readonly model: string
  readonly createdAtSeconds?: number
  /** One choice for each requested answer. The position in the list is the choice's index. */
  readonly choices: readonly Choice[]
  readonly usage?: Usage
  readonly serviceTier?: ServedTier
  readonly extras?: Extras
}

/**
 * Joins the answers to several requests into one answer: choices in order, usage added up, the rest from the first
 * answer.
 */
export function joinReplies(first: Reply, others: readonly Reply[]): Reply {
  const all = [first, ...others]
  const usages = all.map(({ usage }) => usage)
  const usage = usages.reduce((sum, one) => (sum && one ? addUsage(sum, one) : undefined))
  const { usage: _usage, ...rest } = first
  const choices = all.flatMap((reply) => reply.choices)
  return usage === undefined ? { ...rest, choices } : { ...rest, choices, usage }
}

/** Counts the characters of text, reasoning and tool inputs in a whole answer. */
export function countReplyCharacters({ choices }: Pick<Reply, 'choices'>): number {
  let characters = 0
  for (const { content } of choices) for (const block of content) characters += charactersOf(block)
  return characters
}

function charactersOf(block: AssistantBlock): number {
  switch (block.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return block.text.length
    case 'tool-call':
      return block.input.length
    case 'redacted-thinking':
    case 'audio':
    case 'image':
    case 'opaque':
      return 0
  }
}
