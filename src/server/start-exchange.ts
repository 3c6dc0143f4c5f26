import type { OperationId } from '../canonical/format.ts'
import type { StoredResponseRequest } from '../pipeline/exchange/caller-request.ts'
import type { ResponseSink } from '../pipeline/response/response-sink.ts'
import type { CallerFormat } from '../wire/caller-format.ts'
import type { RequestTerms } from '../wire/wire-format.ts'
import { createResponseSink } from './response-sink.ts'
import type { Exchanged } from './route.ts'
import type { RouteOptions } from './routes/route-options.ts'

export interface Asked {
  readonly format: OperationId
  /** What the path says, where the format has it there. */
  readonly terms?: RequestTerms | undefined
  /** Where it is not the one that the format itself is. */
  readonly operation?: CallerFormat
  readonly stored?: StoredResponseRequest
  /** How the answer's bytes are framed otherwise than the format does. */
  readonly wrapSink?: ((sink: ResponseSink) => ResponseSink) | undefined
}

/** Hands a request over to the pipeline, which answers it on the caller's connection. */
export function startExchange(
  { context, response, body }: Exchanged,
  { handleExchange, formats, gate }: RouteOptions,
  { format, operation = formats[format], terms, stored, wrapSink }: Asked,
): 'taken-over' {
  const { caller, message } = context
  if (caller === undefined) throw new Error('an exchange needs a caller')
  const sink = createResponseSink(response)
  const leave = gate.enter(() => sink.stop())
  const callerRequest = {
    requestId: context.requestId,
    format: operation,
    path: context.path,
    query: context.query,
    terms,
    stored,
    caller,
    address: context.address,
    headers: message.headers,
    body,
    startedAtMs: context.startedAtMs,
  }
  void handleExchange(callerRequest, wrapSink?.(sink) ?? sink).finally(() => {
    context.bodyHold?.release()
    leave()
  })
  return 'taken-over'
}
