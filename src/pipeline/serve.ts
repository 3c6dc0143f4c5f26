import type { Caller } from '../access/key.ts'
import { admit } from './admit.ts'
import { attempt } from './attempt.ts'
import type { OpenLine } from './batches/read-batch-input.ts'
import { describeRoute } from './describe-route.ts'
import type {
  CallerRequest,
  ObjectRequest,
  PassthroughRequest,
  RetrievalRequest,
} from './exchange/caller-request.ts'
import { admitDryRun } from './exchange/dry-run.ts'
import { ExchangeRun } from './exchange-run.ts'
import type { Gateway } from './gateway.ts'
import { servePassthrough } from './passthrough/serve-passthrough.ts'
import { plan } from './plan.ts'
import { openExchange, read } from './read.ts'
import type { ResponseSink } from './response/response-sink.ts'
import { findStoredResponse, serveStoredResponse } from './retrieval/serve-stored-response.ts'
import { serveObject } from './serve-object.ts'

/** A caller's request before its key is checked and its body is read. The server has only received its head. */
export interface IncomingRequest {
  /** The caller. Throws `GatewayError` where the request shows no valid key. */
  authenticate(): Caller
  /**
   * The whole request. Returns a promise only when some of its bytes have not arrived yet. Throws or rejects with
   * `GatewayError`.
   */
  receive(caller: Caller): IncomingBody | Promise<IncomingBody>
}

export interface IncomingBody {
  readonly request: CallerRequest
  /** The place to which the answer is written. */
  readonly sink: ResponseSink
}

/**
 * Serves a request up to the last byte of its answer. Rejects only with errors that the server has to answer itself.
 */
export type Serve = (incoming: IncomingRequest) => Promise<void>

/** Creates the function that serves each request. `live` holds the current configuration. */
export function createServe(live: { readonly gateway: Gateway }): Serve {
  return (incoming) => serve(incoming, live)
}

/**
 * Serves one request in the steps authenticate, read, plan, admit, attempt, record, answer. The server answers the
 * errors of the first step, and the run answers those of the later steps. A step returns a promise only when it waits,
 * because the continuation of a promise runs after everything in the queues of the event loop, which costs more than a
 * plan (decision 0012).
 */
async function serve(incoming: IncomingRequest, live: { readonly gateway: Gateway }): Promise<void> {
  const caller = incoming.authenticate()
  const receiving = incoming.receive(caller)
  const { request, sink } = receiving instanceof Promise ? await receiving : receiving
  const { gateway } = live
  const run = new ExchangeRun(gateway, request, sink)
  await run.execute(async () => {
    if (request.type === 'stored-response') return retrieve(request, run, gateway)
    if (request.type === 'object') return handleObject(request, run, gateway)
    if (request.type === 'passthrough') return passThrough(request, run, gateway)
    const sharing = run.share(request)
    if (sharing !== undefined && (await sharing) === 'answered') return
    const isDry = admitDryRun(request)
    const catalog = gateway.catalog.current()
    const reading = read(request, catalog, gateway)
    const exchange = reading instanceof Promise ? await reading : reading
    const call = run.openCall(exchange, catalog)
    const planned = plan(call, gateway)
    run.recordPlan(planned)
    if (isDry) return run.answerWhole(await describeRoute({ exchange, plan: planned }, gateway), call)
    const admitting = admit({ ...call, plan: planned }, gateway)
    const admission = admitting instanceof Promise ? await admitting : admitting
    run.recordPlan(admission.plan)
    const outcome =
      admission.type === 'admitted' ? await attempt(call, admission, gateway) : admission.outcome
    run.answer(outcome, call)
  })
}

async function retrieve(request: RetrievalRequest, run: ExchangeRun, gateway: Gateway): Promise<void> {
  const retrieval = { request, ...run.openUnsharedCall({ isStream: request.stored.isStream }) }
  const found = await findStoredResponse(request, gateway)
  run.recordModel(found.modelName)
  const outcome = await serveStoredResponse(retrieval, found, gateway)
  run.answer(outcome, retrieval)
}

async function handleObject(request: ObjectRequest, run: ExchangeRun, gateway: Gateway): Promise<void> {
  const catalog = gateway.catalog.current()
  const rates = gateway.spending.limits.callerRates(request.caller)
  const call = { request, ...run.openUnsharedCall({ rates }), ...gateway }
  const openLine: OpenLine = (line) => openExchange(line, catalog, gateway)
  run.answer(await serveObject(call, { rates, openLine }), call)
}

async function passThrough(request: PassthroughRequest, run: ExchangeRun, gateway: Gateway): Promise<void> {
  const rates = gateway.spending.limits.callerRates(request.caller)
  const input = { request, ...run.openUnsharedCall({ rates }) }
  const { outcome, isSent } = await servePassthrough({ ...input, ...gateway })
  if (isSent) run.recordOutcome(outcome)
  else run.answer(outcome, input)
}
