import type { PlannedQuestion, PlannedResult } from './plan-conversation.ts'

/** A client that holds a conversation as real ones do, and gives back of an answer what they give back. */
export interface Agent {
  hear(question: PlannedQuestion): void
  /** Sends the conversation so far and keeps the answer. */
  ask(): Promise<AgentAnswer>
  /** Takes results in the order in which the tools are ready. */
  take(results: readonly AgentResult[]): void
}

export interface AgentAnswer {
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
  /** The header that declares what the request lost. */
  readonly losses: string
}

export interface AgentResult extends PlannedResult {
  readonly callId: string
}

export interface AgentTerms {
  /** The gateway, without a path. */
  readonly url: string
  /** Chooses the model of the next turn. */
  readonly chooseModel: () => string
  /** Whether the next turn is asked for as a stream. */
  readonly chooseStream: () => boolean
}
