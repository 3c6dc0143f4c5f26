import type { Caller } from '../../access/key.ts'
import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import type { CallerFormat } from '../../wire/caller-format.ts'
import type { RequestTerms } from '../../wire/wire-format.ts'

/** What is asked of a response that is stored. */
export interface StoredResponseRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly id: string
  /** Below the response's own path; empty for the response itself. */
  readonly action: '' | '/cancel' | '/input_items'
  /** With its question mark; empty without a query. */
  readonly query: string
  readonly stream: boolean
}

interface ReceivedRequest {
  readonly requestId: string
  /** What is asked for, by the path it came to. */
  readonly format: CallerFormat
  readonly path: string
  readonly caller: Caller
  readonly address: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Without the question mark. */
  readonly query: string
  readonly body: BodyBytes
  /** The time by `Clock.monotonicMs` at which the request's head was complete. */
  readonly startedAtMs: number
}

/** Asks a model for something. */
export interface OperationRequest extends ReceivedRequest {
  readonly type: 'operation'
  /** What the path says of the request, where the format has it there. */
  readonly terms?: RequestTerms | undefined
}

/** Asks for a response that is stored already. */
export interface RetrievalRequest extends ReceivedRequest {
  readonly type: 'stored-response'
  readonly stored: StoredResponseRequest
}

/** A caller's request, whole, as the server received it. */
export type CallerRequest = OperationRequest | RetrievalRequest
