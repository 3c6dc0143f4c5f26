import type { LossList } from '../../canonical/loss.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Dialect } from '../dialect.ts'

/** The context for writers of parts of a request that depend on each other. */
export interface RequestContext {
  readonly request: ChatRequest
  readonly dialect: Dialect
  readonly losses: LossList
}

/** Whether the request forces a call of one of its tools. */
export function demandsCall({ toolChoice, tools = [] }: ChatRequest): boolean {
  if (toolChoice === undefined || tools.length === 0) return false
  if (toolChoice.type === 'allowed') return toolChoice.mode === 'required'
  return toolChoice.type === 'required' || toolChoice.type === 'tool'
}
