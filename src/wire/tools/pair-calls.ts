import type { LossList } from '../../canonical/loss.ts'
import type { Turn } from '../../canonical/request.ts'
import { fitCalls } from './fit-calls.ts'

/** The IDs that the calls of a conversation may share: none, or those of calls that already have their results. */
export type SharedIds = 'none' | 'answered'

/**
 * Returns a conversation in which each call has one result and each result has a call. OpenAI's and Cohere's services
 * refuse any other, also one that another provider accepts. A conversation that already pairs stays unchanged, with the
 * turns between calls and results.
 */
export function pairCalls(turns: readonly Turn[], shared: SharedIds, losses: LossList): readonly Turn[] {
  return arePaired(turns, shared) ? turns : fitCalls(turns, losses, { fitId: (id) => id, marksErrors: false })
}

function arePaired(turns: readonly Turn[], shared: SharedIds): boolean {
  const open = new Set<string>()
  const used = shared === 'none' ? new Set<string>() : open
  for (const turn of turns) {
    for (const id of turn.role === 'assistant' ? callsOf(turn) : []) {
      if (used.has(id)) return false
      used.add(id)
      open.add(id)
    }
    for (const { callId } of turn.role === 'tool' ? turn.results : []) if (!open.delete(callId)) return false
  }
  return open.size === 0
}

function callsOf({ content }: Extract<Turn, { readonly role: 'assistant' }>): readonly string[] {
  return content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []))
}
