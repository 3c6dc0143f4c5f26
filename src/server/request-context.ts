import type { IncomingMessage } from 'node:http'
import type { Failure } from '../canonical/failure.ts'
import type { CallerRequest } from '../pipeline/exchange/caller-request.ts'
import type { FormatWords } from '../wire/wire-format.ts'
import type { BodyHold } from './body/body-budget.ts'

/** What is known of a request before its body is read. */
export interface RequestContext {
  readonly requestId: string
  readonly startedAtMs: number
  readonly address: string
  /** Path without query, after a doubled `/v1` was taken away. */
  readonly path: string
  readonly query: string
  /** How errors are worded. */
  readonly format: FormatWords
  readonly message: IncomingMessage
  /** Set where the caller holds its body back until it is asked for. */
  askForBody: (() => void) | undefined
  /** Set once the key was checked. */
  caller: CallerRequest['caller'] | undefined
  /** What its body has of the room; whoever ends the request releases it. Undefined where its body is not counted. */
  bodyHold: BodyHold | undefined
  /** Set where the request was refused. */
  refusal: { readonly failure: Failure; readonly error: unknown } | undefined
}
