import { errorRow } from '../canonical/error-table.ts'
import { GatewayError } from '../canonical/failure.ts'
import type { Loss } from '../canonical/loss.ts'
import type { JsonObject } from '../kit/json/json.ts'
import { omitUndefined } from '../kit/json/omit-undefined.ts'
import type { Candidate } from '../routing/candidate.ts'
import type { Exclusion, Plan } from '../routing/plan-attempts.ts'
import type { AnswerTurns } from './exchange/answer-budget.ts'
import type { OperationRequest } from './exchange/caller-request.ts'
import type { Exchange } from './exchange/exchange.ts'
import {
  isOpenedInSteps,
  type LaneDependencies,
  type OpenedLane,
  openLane,
  openLaneInSteps,
} from './lane/open-lane.ts'
import { type PlanDependencies, plan } from './plan.ts'
import { type ReadDependencies, read } from './read.ts'
import { runSteps } from './relay/answer-steps.ts'
import { writeLosses } from './response/answer-headers.ts'
import type { WholeAnswer } from './response/response-writer.ts'

export interface RouteDependencies extends LaneDependencies {
  readonly answerTurns: AnswerTurns
}

export interface RouteInput {
  readonly exchange: Exchange
  readonly plan: Plan
}

/** Answers with the route that a request would take, in order, without calling a provider (`x-headgate-dry-run: 1`). */
export async function describeRoute(
  input: RouteInput,
  dependencies: RouteDependencies,
): Promise<WholeAnswer> {
  const body = { object: 'headgate.route', ...(await describePlan(input, dependencies)) }
  return { status: 200, headers: { 'x-headgate-attempts': '0' }, body: JSON.stringify(body) }
}

/**
 * Describes the route of a request: the targets that may be called, in order and with their losses, and the targets
 * that may not be called and why.
 */
async function describePlan(
  { exchange, plan }: RouteInput,
  dependencies: RouteDependencies,
): Promise<JsonObject> {
  const nowMs = dependencies.clock.monotonicMs()
  const candidates: JsonObject[] = []
  for (const candidate of plan.candidates)
    candidates.push({
      ...describeCandidate(candidate),
      ...(await describeLane(exchange, candidate, dependencies)),
    })
  return {
    model: exchange.route.publicName,
    strategy: exchange.route.strategy,
    candidates,
    excluded: plan.excluded.map((exclusion) => describeExclusion(exclusion, nowMs)),
  }
}

function describeCandidate({ target, credential, publicName, isProbe }: Candidate): JsonObject {
  return {
    channel: target.channel.name,
    upstream_model: target.upstreamModel,
    ...omitUndefined({ credential: credential?.id }),
    public_name: publicName,
    probe: isProbe,
  }
}

/** The losses of a request on this lane, or the reason why the candidate cannot serve the request. */
async function describeLane(
  exchange: Exchange,
  candidate: Candidate,
  dependencies: RouteDependencies,
): Promise<JsonObject> {
  try {
    const opened = await open(exchange, candidate, dependencies)
    if (opened.type === 'answer') return { lane: 'here', ...describeLosses(opened.reply.losses) }
    if (opened.type === 'calls')
      return { lane: 'split', calls: opened.split.lanes.length, ...describeLosses(opened.split.losses) }
    return { lane: opened.lane.kind, ...describeLosses(opened.lane.losses) }
  } catch (error) {
    if (!(error instanceof GatewayError) || errorRow(error.failure.code).blame !== 'caller') throw error
    const { code, message, param } = error.failure
    return { error: { code, message, ...omitUndefined({ param }) } }
  }
}

/** A request may lose thousands of fields. */
const MAX_DESCRIBED_LOSSES = 100

function describeLosses(losses: readonly Loss[]): JsonObject {
  return {
    loss: writeLosses(losses),
    losses: losses
      .slice(0, MAX_DESCRIBED_LOSSES)
      .map(({ feature, kind, field = null }) => ({ feature, kind, field })),
  }
}

/** The terms of a dry run: it holds nothing in a budget, and its answer costs nothing. */
const unlimited = { maxOutputTokens: undefined, costOf: undefined }

async function open(
  exchange: Exchange,
  candidate: Candidate,
  dependencies: RouteDependencies,
): Promise<OpenedLane> {
  if (!isOpenedInSteps(exchange, candidate, dependencies))
    return openLane({ ...exchange, ...unlimited }, candidate, dependencies)
  const { answerTurns } = dependencies
  await runSteps(exchange.readSteps(), answerTurns)
  return runSteps(openLaneInSteps({ ...exchange, ...unlimited }, candidate, dependencies), answerTurns)
}

function describeExclusion(
  { target, credential, publicName, reason, untilMs }: Exclusion,
  nowMs: number,
): JsonObject {
  const seconds = untilMs === undefined ? undefined : Math.max(0, Math.ceil((untilMs - nowMs) / 1_000))
  return {
    channel: target.channel.name,
    upstream_model: target.upstreamModel,
    ...omitUndefined({ credential: credential?.id }),
    public_name: publicName,
    reason,
    ...omitUndefined({ for_seconds: seconds }),
  }
}

export type ExplainDependencies = RouteDependencies &
  PlanDependencies &
  ReadDependencies & {
    readonly catalog: { current(): Parameters<typeof read>[1] }
  }

/**
 * Describes the route that a request would take at this moment. No provider is called, no budget is held, and no row is
 * written. Rejects with the error that the caller would get.
 */
export async function explainPlan(
  request: OperationRequest,
  dependencies: ExplainDependencies,
): Promise<JsonObject> {
  const catalog = dependencies.catalog.current()
  const exchange = await read(request, catalog, dependencies)
  return describePlan({ exchange, plan: plan({ exchange, catalog }, dependencies) }, dependencies)
}
