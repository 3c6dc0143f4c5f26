import type { UserBlock } from '../../../canonical/content.ts'
import type { LossFeature } from '../../../canonical/loss.ts'
import type { ChatRequest, Turn } from '../../../canonical/request.ts'
import type { ChannelCall } from '../call-channel.ts'

/** The usual output limit. A model that reasons by default needs this much. */
export const OUTPUT_TOKENS = 1_024

interface Needs {
  readonly needs?: readonly LossFeature[]
  readonly needsExactly?: readonly LossFeature[]
}

type Asked = Partial<Omit<ChatRequest, 'model' | 'turns'>> & Needs

/** A call with these turns. */
export function ask(
  turns: readonly Turn[],
  { needs = [], needsExactly = [], ...more }: Asked = {},
): Extract<ChannelCall, { readonly type: 'conversation' }> {
  const request = { stream: false, maxOutputTokens: OUTPUT_TOKENS, ...more, turns }
  return { type: 'conversation', needs, needsExactly, request }
}

export function saying(text: string, ...attached: readonly UserBlock[]): Turn {
  return { role: 'user', content: [...attached, { type: 'text', text }] }
}
