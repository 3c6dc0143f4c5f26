import { type Failure, GatewayError, isFailure } from '../../canonical/failure.ts'
import { AttemptSequence } from '../../routing/attempt-sequence.ts'
import { explainExclusions } from '../../routing/explain-exclusions.ts'
import { type Plan, planAttempts } from '../../routing/plan-attempts.ts'
import { enterRates } from '../spending/acquire-rate.ts'
import { estimateTokens } from '../spending/estimate-tokens.ts'
import { holdPassthrough } from './charge-passthrough.ts'
import { findAllowed, findNamedModel, readModelOf, targetOfRule } from './find-passthrough-target.ts'
import { passOn } from './pass-on.ts'
import type { AllowedCall, PassthroughInput, PassthroughResult } from './passthrough-input.ts'
import { readSegments } from './read-path.ts'

/**
 * Calls one channel once for a path of its provider. The effect of the path is not known here, so the call is never
 * repeated. Rejects with `GatewayError` if the path is not allowed.
 */
export async function servePassthrough(input: PassthroughInput): Promise<PassthroughResult> {
  const { request, catalog, providers } = input
  if (request.headers['upgrade'] !== undefined) throw noUpgrade()
  const segments = readSegments(request.rawPath)
  const { channel, matched } = findAllowed(request, segments, catalog.current())
  const provider = providers.find(channel.provider)
  if (provider === undefined) throw new GatewayError('passthrough_not_permitted')
  const { price } = matched.rule
  const isByUsage = price.type === 'usage'
  const { spending, deadlineAtMs, callerConnection } = input
  const limits = spending.limits.callerRates(request.caller)
  const { keyId } = request.caller
  const { unread } = request
  // A body without a stated length is read first, since its tokens are not known before.
  const early = isByUsage && unread?.length === undefined ? await unread?.readWhole() : undefined
  const inputTokens = isByUsage ? estimateTokens(unread?.length ?? early?.length ?? 0) : 0
  const rateRequest = { limits, keyId, inputTokens, deadlineAtMs }
  const entered = await enterRates(rateRequest, spending, callerConnection)
  if (entered.type !== 'entered') return { outcome: entered, isSent: false }
  if (entered.lease !== undefined) input.holdLease(entered.lease)
  // A signature covers the whole body, and the body may name the model.
  const isRead = isByUsage || (provider.authorizer !== undefined && channel.credentials.length === 0)
  const body = early ?? (isRead ? await unread?.readWhole() : undefined)
  const passthroughTarget = isByUsage
    ? findNamedModel(request, (body && readModelOf(body)) ?? matched.named, {
        channel,
        catalog: catalog.current(),
      })
    : targetOfRule(channel, matched)
  input.recordModel(passthroughTarget.publicName)
  return callOnce({ input, segments, passthroughTarget, price, provider, body })
}

function noUpgrade(): GatewayError {
  return new GatewayError('operation_not_supported', {
    message: 'WebSocket and other upgrades are not passed through. Ask over HTTP, or use /v1/realtime.',
  })
}

async function callOnce(call: AllowedCall): Promise<PassthroughResult> {
  const { input, passthroughTarget, price } = call
  const { request, routingState, queue, clock, retry, random, deadlineAtMs } = input
  const plan = planCall(call)
  input.recordPlan(plan)
  const sequence = new AttemptSequence({
    candidates: plan.candidates,
    routingState,
    policy: { ...retry, attempts: 1 },
    random,
    isStream: false,
    deadlineAtMs,
  })
  const step = sequence.next(clock.monotonicMs())
  if (step.type !== 'call') return failed(explainExclusions(plan.excluded, clock.monotonicMs()))
  let end: Parameters<AttemptSequence['finish']>[0] = { type: 'left' }
  try {
    const charge = await holdPassthrough(request, passthroughTarget, price, input)
    if (isFailure(charge)) {
      end = { type: 'skipped' }
      return failed(charge)
    }
    using _held = charge
    const passed = await passOn(call, step.candidate, charge)
    end = passed.evidence
    return passed
  } finally {
    if (sequence.finish(end, clock.monotonicMs())) queue?.wake()
  }
}

function failed(failure: Failure): PassthroughResult {
  return { outcome: { type: 'failed', failure }, isSent: false }
}

/** Plans the call to one channel. Its credentials that are in rotation are used in turn. */
function planCall({ input, passthroughTarget }: AllowedCall): Plan {
  const { routingState, catalog, clock, random } = input
  const { target, publicName } = passthroughTarget
  const { health, inFlight, latency, rotation } = routingState
  return planAttempts({
    route: { publicName, targets: [target], strategy: 'priority-weighted', fallbacks: [] },
    catalog: catalog.current(),
    operation: 'passthrough',
    monotonicMs: clock.monotonicMs(),
    atMs: clock.nowMs(),
    isStream: false,
    facts: { health, inFlight, latency, rotation, random },
    session: undefined,
  })
}
