import type { LossList } from '../../canonical/loss.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Dialect } from '../dialect.ts'

/** The context of the writers of a request's parts where parts depend on one another. */
export interface RequestContext {
  readonly request: ChatRequest
  readonly dialect: Dialect
  readonly losses: LossList
}

/** Whether the request demands a call of a tool that it offers. */
export function demandsCall({ toolChoice, tools = [] }: ChatRequest): boolean {
  if (toolChoice === undefined || tools.length === 0) return false
  if (toolChoice.type === 'allowed') return toolChoice.mode === 'required'
  return toolChoice.type === 'required' || toolChoice.type === 'tool'
}
