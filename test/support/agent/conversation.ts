import type { JsonObject } from '../../../src/kit/json/json.ts'

/** The content of an agent's request, the same for every format. */
export interface Conversation {
  readonly model: string
  readonly isStream: boolean
  /** Whether a stream must say what it used. */
  readonly wantsStreamUsage: boolean
  readonly wantsThinking: boolean
  /** The JSON schema that the answer's text must fulfil; undefined where any text will do. */
  readonly outputSchema: JsonObject | undefined
  readonly tools: readonly AgentTool[]
  /** Each answer that called tools, with what the tools gave. */
  readonly rounds: readonly Round[]
}

export interface AgentTool {
  readonly name: string
  /** A JSON schema of the tool's input. */
  readonly schema: JsonObject
}

export interface Round {
  readonly calls: readonly AgentCall[]
  readonly results: readonly ToolResult[]
}

export interface AgentCall {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
}

export interface ToolResult {
  readonly callId: string
  readonly text: string
}

/** One answer of the scripted model. */
export interface AgentTurn {
  readonly text: string
  readonly calls: readonly AgentCall[]
}

/** An answer with all that a format writes of it. */
export interface AgentAnswer extends AgentTurn {
  /** Another in every answer: clients join the messages that have one id. */
  readonly id: string
  readonly usage: AgentUsage
}

/** Tokens in disjoint classes. */
export interface AgentUsage {
  readonly freshInput: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/** The reason why a strict upstream refuses a request; it becomes an error answer in the upstream's own format. */
export class Refusal extends Error {
  readonly status: number
  /** The details that clients of the messages format act on. */
  readonly details: object | undefined
  constructor(message: string, more: { readonly status?: number; readonly details?: object } = {}) {
    super(message)
    this.status = more.status ?? 400
    this.details = more.details
  }
}
