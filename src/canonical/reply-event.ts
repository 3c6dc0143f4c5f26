import type { AudioBlock, Citation, ImageBlock, OpaqueBlock, RedactedThinkingBlock } from './content.ts'
import type { Failure } from './failure.ts'
import type { Extras } from './format.ts'
import type { LogProbs, StopReason } from './reply.ts'
import type { ServedTier } from './served-tier.ts'
import type { Usage } from './usage.ts'

/** The facts about a block at its start. A block without deltas is complete at its start. */
export type BlockStart =
  | { readonly type: 'text'; readonly extras?: Extras }
  | ThinkingStart
  | { readonly type: 'refusal'; readonly extras?: Extras }
  | {
      readonly type: 'tool-call'
      readonly id: string
      readonly name: string
      readonly kind: 'function' | 'custom'
      readonly extras?: Extras
    }
  | AudioBlock
  | ImageBlock
  | RedactedThinkingBlock
  | OpaqueBlock

export interface ThinkingStart {
  readonly type: 'thinking'
  readonly extras?: Extras
}

/**
 * One step of a streamed answer, in this order:
 * - one `reply-start`
 * - for each choice, blocks numbered 0, 1, 2 … without a gap, in the order in which they start
 * - a block's deltas between its start and its end
 * - `choice-end` after the choice's last block
 * - `usage` whenever it is known, each replacing the previous one
 * - at the end `reply-end` or `failure`
 *
 * Blocks of one choice may overlap in time, as parallel tool calls do in the chat format.
 */
export type ReplyEvent =
  | {
      readonly type: 'reply-start'
      readonly id: string
      readonly model: string
      readonly createdAtSeconds?: number
      readonly serviceTier?: ServedTier
      readonly extras?: Extras
    }
  | {
      readonly type: 'block-start'
      readonly choice: number
      readonly block: number
      readonly start: BlockStart
      /** Set for reasoning in a form without signatures, so no signature is expected. */
      readonly isUnsigned?: true
    }
  /** Text of a text, thinking or refusal block. */
  | { readonly type: 'text-delta'; readonly choice: number; readonly block: number; readonly text: string }
  | {
      readonly type: 'signature-delta'
      readonly choice: number
      readonly block: number
      readonly signature: string
    }
  | {
      readonly type: 'citation-delta'
      readonly choice: number
      readonly block: number
      readonly citation: Citation
    }
  | {
      readonly type: 'tool-input-delta'
      readonly choice: number
      readonly block: number
      readonly text: string
    }
  | {
      readonly type: 'audio-delta'
      readonly choice: number
      readonly block: number
      readonly data?: string
      readonly transcript?: string
      readonly expiresAtSeconds?: number
    }
  | { readonly type: 'block-end'; readonly choice: number; readonly block: number }
  | { readonly type: 'logprobs-delta'; readonly choice: number; readonly logprobs: LogProbs }
  | {
      readonly type: 'choice-end'
      readonly choice: number
      readonly stopReason?: StopReason
      readonly stopSequence?: string
      readonly extras?: Extras
    }
  /** `stated`: the usage as the provider wrote it, for callers of the same format. */
  | { readonly type: 'usage'; readonly usage: Usage; readonly stated?: Extras }
  | {
      readonly type: 'reply-end'
      readonly serviceTier?: ServedTier
      readonly extras?: Extras
      /** The cost of the answer in dollars, as a JSON number. Set where the caller asks for it in the usage. */
      readonly cost?: string
    }
  | { readonly type: 'failure'; readonly failure: Failure }

export type ChoiceEvent = Extract<ReplyEvent, { readonly choice: number }>
export type BlockEvent = Extract<ReplyEvent, { readonly block: number }>

export function isOfChoice(event: ReplyEvent): event is ChoiceEvent {
  return 'choice' in event
}

export function isOfBlock(event: ReplyEvent): event is BlockEvent {
  return 'block' in event
}

/** Whether the event shows the caller a part of the answer, so that no other target may take over (law 5). */
export function isContent(event: ReplyEvent): boolean {
  switch (event.type) {
    case 'text-delta':
    case 'tool-input-delta':
      return event.text !== ''
    case 'block-start':
      return event.start.type !== 'text' && event.start.type !== 'thinking' && event.start.type !== 'refusal'
    case 'audio-delta':
    case 'citation-delta':
    case 'signature-delta':
    case 'choice-end':
      return true
    default:
      return false
  }
}
