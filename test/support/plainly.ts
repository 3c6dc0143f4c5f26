import type { Judged } from './judged.ts'

export const compared = ['text', 'thinking', 'toolCalls', 'stopReason', 'usage'] as const
export type Compared = (typeof compared)[number]
export type Said = Pick<Judged, Compared>

/**
 * The content of an answer in words that all formats have; a refusal is text to those that have no other place for it.
 */
export function plainly({ text, refusal, thinking, toolCalls, stopReason, usage }: Judged): Said {
  const { input, cacheRead, output } = usage ?? { input: 0, cacheRead: 0, output: 0 }
  // A call of nothing is passed over.
  const calls = toolCalls.filter(({ name }) => name !== '')
  return {
    text: text + refusal,
    thinking,
    toolCalls: calls,
    stopReason: plainStop(stopReason, { hasCalls: calls.length > 0, isRefused: refusal !== '' }),
    // A cache cannot give more than was read at all.
    usage: { input, cacheRead: Math.min(cacheRead, input), output },
  }
}

function plainStop(
  stop: Judged['stopReason'],
  { hasCalls, isRefused }: { readonly hasCalls: boolean; readonly isRefused: boolean },
): Judged['stopReason'] {
  if (stop === 'length' || stop === 'refused') return stop
  if (isRefused) return 'refused'
  return hasCalls ? 'tool-calls' : 'end'
}
