// Requests that Headgate itself sends through its pipeline for a signed-in user of the admin API.
import type { Caller } from '../../access/key.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { createRequestId } from '../../kit/random/ids.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { OperationRequest, PinnedTarget } from '../../pipeline/exchange/caller-request.ts'
import type { Serve } from '../../pipeline/serve.ts'
import type { DrainGate } from '../../server/drain-gate.ts'
import type { StoppableSink } from '../../server/node-response-sink.ts'
import type { RequestRow } from '../../telemetry/observer.ts'
import type { CallerFormat } from '../../wire/caller-format.ts'
import type { RequestTerms } from '../../wire/wire-format.ts'

export interface InternalRequest {
  readonly caller: Caller
  /** The address of the user. */
  readonly address: string
  /** The path under which the request is logged. */
  readonly path: string
  readonly format: CallerFormat
  readonly body: JsonObject
  readonly terms?: RequestTerms | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly pin: PinnedTarget | undefined
}

export interface InternalSender {
  readonly serve: Serve
  readonly gate: Pick<DrainGate, 'enter' | 'isDraining'>
  readonly clock: Clock
}

/**
 * Sends a request like a caller's: limits, budgets, routing, retries, the ledger and the request log apply as to any
 * other. Fulfilled at its end, with its row. Rejects with `GatewayError` if the process is about to end.
 */
export async function sendInternally(
  request: InternalRequest,
  sink: StoppableSink,
  { serve, gate, clock }: InternalSender,
): Promise<RequestRow> {
  if (gate.isDraining) throw new GatewayError('shutting_down')
  const { body, headers = {}, ...rest } = request
  const ended = Promise.withResolvers<RequestRow>()
  const operation: OperationRequest = {
    type: 'operation',
    ...rest,
    headers,
    requestId: createRequestId(clock.nowMs()),
    query: '',
    body: BodyBytes.from([Buffer.from(JSON.stringify(body))]),
    startedAtMs: clock.monotonicMs(),
    onEnded: ended.resolve,
  }
  const leave = gate.enter(() => sink.stop())
  try {
    await serve({ authenticate: () => request.caller, receive: () => ({ request: operation, sink }) })
    return await ended.promise
  } finally {
    leave()
    operation.body.release()
  }
}
