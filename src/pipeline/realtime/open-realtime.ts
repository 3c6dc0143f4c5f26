import { permits } from '../../access/permission.ts'
import {
  createFailure,
  type Failure,
  GatewayError,
  isFailure,
  toGatewayError,
} from '../../canonical/failure.ts'
import { modelNotFound } from '../../canonical/model-not-found.ts'
import type { Route } from '../../catalog/catalog.ts'
import type { RateLease } from '../../metering/rates/rate-limiter.ts'
import { AttemptSequence } from '../../routing/attempt-sequence.ts'
import type { Candidate } from '../../routing/candidate.ts'
import { explainExclusions } from '../../routing/explain-exclusions.ts'
import { planAttempts } from '../../routing/plan-attempts.ts'
import type { UpstreamWebSocket } from '../../upstream/open-web-socket.ts'
import { writeLiveSetup } from '../../wire/gemini/live/live-setup.ts'
import type { Gateway } from '../gateway.ts'
import { acquireTurn } from '../spending/acquire-rate.ts'
import { beginLive } from './begin-live.ts'
import { dialProvider } from './dial-provider.ts'
import { billedToolsNotAllowed } from './live-inputs.ts'
import { LiveRelay } from './live-session.ts'
import type { OpenedRealtime, OpenRealtime, RealtimeDependencies, RealtimeRequest } from './realtime-port.ts'
import { RealtimeRelay } from './realtime-session.ts'
import { InputBound } from './response-cost.ts'
import { SessionCharges } from './session-charges.ts'

/** Creates the function that opens realtime sessions with the current configuration. */
export function createRealtimeOpener(dependencies: RealtimeDependencies): OpenRealtime {
  return (request) => openRealtime(request, dependencies)
}

/**
 * Admits a session and connects to its provider, trying one target after the other. Until the session exists, nothing
 * is spent and nothing is shown. Rejects with `GatewayError`.
 */
async function openRealtime(
  request: RealtimeRequest,
  dependencies: RealtimeDependencies,
): Promise<OpenedRealtime> {
  const { gateway } = dependencies.live
  const route = findRoute(request, gateway)
  const lease = await acquireSessionRates(request, route, gateway)
  try {
    const connected = await connect(request, route, dependencies)
    return openSession(request, connected, { lease, ...dependencies })
  } catch (error) {
    lease?.release()
    throw error
  }
}

/** The targets of the model that serve realtime sessions. */
function findRoute({ caller, model, opening }: RealtimeRequest, { catalog, providers }: Gateway): Route {
  const route = permits(caller.permission, model) ? catalog.current().findRoute(model) : undefined
  if (route === undefined) throw modelNotFound(model)
  const targets = route.targets.filter(
    ({ channel }) => providers.find(channel.provider)?.endpoints?.[opening.type] !== undefined,
  )
  if (targets.length > 0) return { ...route, targets, fallbacks: [] }
  throw new GatewayError('operation_not_supported', {
    param: 'model',
    message: `No channel of the model ${JSON.stringify(route.publicName)} serves realtime sessions.`,
  })
}

/**
 * Takes the session from its rate limits as one request, for as long as it lasts. A caller that disconnects gives up
 * its place in the queue.
 */
async function acquireSessionRates(
  { caller, gone }: RealtimeRequest,
  { publicName }: Route,
  { spending, clock, retry }: Gateway,
): Promise<RateLease | undefined> {
  const limits = spending.limits.rateLimits(caller, publicName)
  if (limits.length === 0) return undefined
  const deadlineAtMs = clock.monotonicMs() + retry.deadlineMs
  const turn = acquireTurn({ limits, keyId: caller.keyId, inputTokens: 0, deadlineAtMs }, spending)
  if (turn.type === 'waits') {
    if (gone.aborted) turn.leave()
    else gone.addEventListener('abort', turn.leave, { once: true })
  }
  const acquired = turn.type === 'waits' ? await turn.outcome : turn
  if (acquired.type === 'acquired') return acquired.lease
  throw toGatewayError(acquired.type === 'failed' ? acquired.failure : createFailure('client_closed_request'))
}

interface Connected {
  readonly candidate: Candidate
  readonly upstream: UpstreamWebSocket
  /** The messages that the provider has already sent. */
  readonly early: readonly string[]
  readonly charges: SessionCharges
  readonly bound: InputBound
  readonly sequence: AttemptSequence
}

async function connect(
  request: RealtimeRequest,
  route: Route,
  dependencies: RealtimeDependencies,
): Promise<Connected> {
  const { gateway } = dependencies.live
  const { clock, routingState, queue, retry, random, catalog } = gateway
  const { health, inFlight, latency, rotation } = routingState
  const plan = planAttempts({
    route,
    catalog: catalog.current(),
    operation: 'realtime',
    monotonicMs: clock.monotonicMs(),
    atMs: clock.nowMs(),
    isStream: true,
    facts: { health, inFlight, latency, rotation, random },
    session: undefined,
  })
  const deadlineAtMs = request.startedAtMs + retry.deadlineMs
  const { candidates } = plan
  const policy = { ...retry, sameTarget: 0 }
  const sequence = new AttemptSequence({
    candidates,
    routingState,
    policy,
    random,
    isStream: true,
    deadlineAtMs,
  })
  let last: Failure | undefined
  for (
    let step = sequence.next(clock.monotonicMs());
    step.type === 'call';
    step = sequence.next(clock.monotonicMs())
  ) {
    const tried = await tryOnce(request, { candidate: step.candidate, sequence }, dependencies)
    if (!isFailure(tried)) {
      sequence.recordContent(clock.monotonicMs())
      return { ...tried, candidate: step.candidate, sequence }
    }
    const isSkipped = tried.code === 'budget_exceeded' || tried.code === 'model_unpriced'
    const end = isSkipped ? ({ type: 'skipped' } as const) : ({ type: 'failed', failure: tried } as const)
    if (sequence.finish(end, clock.monotonicMs())) queue?.wake()
    last ??= tried
  }
  throw toGatewayError(last ?? explainExclusions(plan.excluded, clock.monotonicMs()))
}

/** Tries one candidate. A fault of the gateway says nothing about the target, so its slot is only released. */
async function tryOnce(
  request: RealtimeRequest,
  { candidate, sequence }: Pick<Connected, 'candidate' | 'sequence'>,
  dependencies: RealtimeDependencies,
): ReturnType<typeof tryCandidate> {
  try {
    if (request.gone.aborted) throw new GatewayError('client_closed_request')
    return await tryCandidate(request, candidate, dependencies)
  } catch (error) {
    const { clock, queue } = dependencies.live.gateway
    if (sequence.finish({ type: 'left' }, clock.monotonicMs())) queue?.wake()
    throw error
  }
}

/** Holds a first response if the session needs that, then connects. */
async function tryCandidate(
  request: RealtimeRequest,
  candidate: Candidate,
  dependencies: RealtimeDependencies,
): Promise<Pick<Connected, 'upstream' | 'early' | 'charges' | 'bound'> | Failure> {
  const { live } = dependencies
  const bound = new InputBound(candidate.target)
  const { opening } = request
  const maxOutputTokens = opening.type === 'geminiLive' ? opening.setup.maxOutputTokens : undefined
  const charges = new SessionCharges({ live, candidate, bound, maxOutputTokens })
  if (opening.type === 'geminiLive' && opening.setup.hasBilledTools && charges.isLimited(request.caller))
    throw toGatewayError(billedToolsNotAllowed())
  const refused = await charges.renew(request.caller)
  if (refused !== undefined) return refused
  const opened = await dialProvider({ candidate, protocol: opening.type }, dependencies)
  const begun = isFailure(opened)
    ? opened
    : await beginSession(request, { candidate, upstream: opened, charges }, live)
  if (!isFailure(begun)) return { ...begun, charges, bound }
  charges.close()
  return begun
}

/** Begins the session. A Live session begins with the setup. A session of OpenAI begins by itself. */
async function beginSession(
  { opening }: RealtimeRequest,
  { candidate, upstream, charges }: Pick<Connected, 'candidate' | 'upstream' | 'charges'>,
  live: RealtimeDependencies['live'],
): Promise<Pick<Connected, 'upstream' | 'early'> | Failure> {
  if (opening.type === 'realtime') return { upstream, early: [] }
  const model = modelNameOf(candidate, live)
  const maxOutputTokens = charges.ahead?.maxOutputTokens ?? opening.setup.maxOutputTokens
  const setup = JSON.stringify(writeLiveSetup(opening.setup, { model, maxOutputTokens }))
  const early = await beginLive(upstream, setup, live.gateway)
  return 'type' in early ? early : { upstream, early }
}

function openSession(
  request: RealtimeRequest,
  { candidate, upstream, early, charges, bound, sequence }: Connected,
  { live, lease }: RealtimeDependencies & { readonly lease: RateLease | undefined },
): OpenedRealtime {
  const { clock, queue } = live.gateway
  const onEnd = (failure: Failure | undefined) => {
    lease?.release()
    const isOfProvider = failure?.code.startsWith('upstream_') === true
    const end = isOfProvider ? ({ type: 'failed', failure } as const) : ({ type: 'answered' } as const)
    if (sequence.finish(end, clock.monotonicMs())) queue?.wake()
  }
  return {
    begin(caller) {
      const { opening } = request
      const options = { request, candidate, live, upstream, charges, bound, onEnd }
      return opening.type === 'realtime'
        ? new RealtimeRelay(options, caller)
        : new LiveRelay({ ...options, setup: opening.setup, early, lease }, caller)
    },
    abandon() {
      upstream.terminate()
      charges.close()
      onEnd(undefined)
    },
  }
}

/** The provider's name of the model of a Live session. */
function modelNameOf(
  { target: { channel, upstreamModel } }: Candidate,
  { gateway }: RealtimeDependencies['live'],
) {
  const endpoint = gateway.providers.find(channel.provider)?.endpoints?.geminiLive
  return endpoint?.modelOf({ channel, upstreamModel }) ?? upstreamModel
}
