import { errorRow } from '../canonical/error-table.ts'
import { GatewayError } from '../canonical/failure.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { JsonObject } from '../kit/json/json.ts'
import { omitUndefined } from '../kit/json/omit-undefined.ts'
import type { Candidate } from '../routing/candidate.ts'
import type { Exclusion } from '../routing/plan-attempts.ts'
import type { Exchange } from './exchange/exchange.ts'
import type { ExchangeRecord } from './exchange/exchange-record.ts'
import type { Gateway } from './gateway.ts'
import { type OpenedLane, openLane } from './lane/open-lane.ts'
import { planNow } from './open-sequence.ts'
import type { WholeAnswer } from './response/response-writer.ts'
import { writeLosses } from './response/write-answer-headers.ts'

export interface RouteInput {
  readonly exchange: Exchange
  readonly catalog: Catalog
  readonly record: ExchangeRecord
  readonly gateway: Gateway
}

/** Where a request would go and in which order, without calling anyone (`x-headgate-dry-run: 1`). */
export function describeRoute(input: RouteInput): WholeAnswer {
  const { exchange, record, gateway } = input
  record.plan = planNow(input)
  const nowMs = gateway.clock.monotonicMs()
  const body = {
    object: 'headgate.route',
    model: exchange.route.publicName,
    strategy: exchange.route.strategy,
    candidates: record.plan.candidates.map((candidate) => describeCandidate(input, candidate)),
    excluded: record.plan.excluded.map((exclusion) => describeExclusion(exclusion, nowMs)),
  }
  return { status: 200, headers: { 'x-headgate-attempts': '0' }, body: JSON.stringify(body) }
}

function describeCandidate({ exchange, gateway }: RouteInput, candidate: Candidate): JsonObject {
  const { target, credential, publicName, isProbe } = candidate
  return {
    channel: target.channel.name,
    upstream_model: target.upstreamModel,
    ...omitUndefined({ credential: credential?.id }),
    public_name: publicName,
    probe: isProbe,
    ...describeLane(() => openLane(exchange, candidate, gateway)),
  }
}

/** What the way to this candidate would lose, or why it cannot be gone. */
function describeLane(open: () => OpenedLane): JsonObject {
  try {
    const opened = open()
    if (opened.type === 'answer') return { lane: 'here', loss: writeLosses(opened.reply.losses) }
    if (opened.type === 'calls')
      return { lane: 'split', calls: opened.split.lanes.length, loss: writeLosses(opened.split.losses) }
    return { lane: opened.lane.kind, loss: writeLosses(opened.lane.losses) }
  } catch (error) {
    if (!(error instanceof GatewayError) || errorRow(error.failure.code).blame !== 'caller') throw error
    return { error: { code: error.failure.code, message: error.failure.message } }
  }
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
