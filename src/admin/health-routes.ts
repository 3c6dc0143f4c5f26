import { GatewayError } from '../canonical/failure.ts'
import type { CheckFact, ListFault } from '../catalog/list-fault.ts'
import type { Clock } from '../kit/time/clock.ts'
import { writeTime } from '../kit/time/write-time.ts'
import { needsOperator } from '../routing/health/assess-health-impact.ts'
import type { HealthLine } from '../routing/health/health-report.ts'
import type { AdminRoute } from './admin-route.ts'
import type { AuditStore } from './audit/audit-store.ts'
import { type HealthView, healthViewSchema, resetHealthSchema } from './health-contract.ts'
import { readActor } from './read-actor.ts'
import { inputErrors, readInput } from './read-input.ts'

/** The source of the health of channels, their keys and their models. */
export interface HealthSource {
  report(monotonicMs: number): readonly HealthLine[]
  /** Every channel that is served. */
  channels(): readonly ChannelLoad[]
  /** Undefined if no request is queued. */
  waiting(): { readonly count: number; readonly limit: number } | undefined
  /** Resets the health of a channel, so that it is used again at once. False if there is no such channel. */
  reset(channelName: string): boolean
}

/** The load of a channel at this moment. */
export interface ChannelLoad {
  readonly name: string
  readonly callsInFlight: number
  /** The limit on concurrent calls. Undefined if there is no limit. */
  readonly limit: number | undefined
  /** The latest check of each credential since the start. Undefined if the channel has no checks. */
  readonly checks: readonly CheckLoad[] | undefined
  /** Undefined if the configuration names the models. */
  readonly modelsList: { readonly isKnown: boolean; readonly fault: ListFault | undefined } | undefined
  /** The models that were asked since the start. */
  readonly models: readonly ModelLoad[]
}

export interface CheckLoad {
  readonly credentialId: string | undefined
  readonly type: 'list' | 'one-token'
  readonly upstreamModel: string | undefined
  /** The reason why the check failed. */
  readonly cause: string | undefined
  /** The same as data. */
  readonly fact: CheckFact | undefined
  readonly atMs: number
}

export interface ModelLoad {
  readonly upstreamModel: string
  readonly callsInFlight: number
  /**
   * The time to the start of recent streams, and to the end of recent responses without streaming. Undefined if none
   * was measured.
   */
  readonly streamMs: number | undefined
  readonly wholeMs: number | undefined
}

export interface HealthRouteOptions {
  readonly clock: Clock
  readonly audit: Pick<AuditStore, 'append'>
}

type ListView = HealthView['channels'][number]['models_list']

export function createHealthRoutes(health: HealthSource, options: HealthRouteOptions): readonly AdminRoute[] {
  const { clock, audit } = options
  const show = () => ({ status: 200, body: { ...viewHealth(health, clock) } })
  return [
    {
      method: 'GET',
      path: '/admin/v1/health',
      policy: { access: 'read', scope: 'health:read' },
      summary: 'Show the health of channels, credentials and models',
      answer: { status: 200, schema: healthViewSchema },
      errors: [],
      handler: async () => show(),
    },
    {
      method: 'POST',
      path: '/admin/v1/health/reset',
      policy: { access: 'write', scope: 'health:write' },
      summary:
        'Forget the health of a channel, its credentials and its models, so that it is used again at once',
      body: resetHealthSchema,
      answer: { status: 200, schema: healthViewSchema },
      errors: [...inputErrors, 'config_object_not_found'],
      async handler(request) {
        const { channel } = readInput(resetHealthSchema, request.body)
        if (!health.reset(channel)) throw new GatewayError('config_object_not_found', { param: 'channel' })
        const done = { action: 'health.reset', subject: channel, details: [], atMs: clock.nowMs() } as const
        await audit.append({ ...readActor(request), ...done })
        return show()
      },
    },
  ]
}

function viewHealth(health: HealthSource, clock: Clock): HealthView {
  const lines = health.report(clock.monotonicMs())
  const queue = health.waiting()
  const channels = health.channels().map(viewChannel)
  const isHealthy =
    lines.every(({ state }) => state === 'healthy') &&
    channels.every(({ models_list: list }) => list?.known !== false)
  return {
    status: isHealthy ? 'healthy' : 'degraded',
    queue: queue === undefined ? null : { waiting: queue.count, size: queue.limit },
    channels,
    data: lines.map((line) => viewLine(line, clock.nowMs())),
  }
}

function viewChannel(channel: ChannelLoad): HealthView['channels'][number] {
  const { name, callsInFlight, limit, checks, models, modelsList: list } = channel
  return {
    name,
    calls_in_flight: callsInFlight,
    concurrency: limit ?? null,
    models_list: list === undefined ? null : viewList(list),
    checks: checks?.map(viewCheck) ?? null,
    models: models.map((model) => ({
      upstream_model: model.upstreamModel,
      calls_in_flight: model.callsInFlight,
      stream_ms: roundMs(model.streamMs),
      whole_ms: roundMs(model.wholeMs),
    })),
  }
}

function viewList({ isKnown, fault }: NonNullable<ChannelLoad['modelsList']>): ListView {
  return { known: isKnown, error: fault?.message ?? null, fact: fault?.fact ?? null }
}

function viewCheck(check: CheckLoad): NonNullable<HealthView['channels'][number]['checks']>[number] {
  return {
    credential: check.credentialId ?? null,
    asked: check.type,
    upstream_model: check.upstreamModel ?? null,
    outcome: check.cause === undefined ? 'passed' : 'failed',
    cause: check.cause ?? null,
    fact: check.fact ?? null,
    at: writeTime(check.atMs),
  }
}

function viewLine(line: HealthLine, nowMs: number): HealthView['data'][number] {
  return {
    channel: line.channel,
    scope: line.scope,
    credential: line.credentialId ?? null,
    upstream_model: line.upstreamModel ?? null,
    state: line.state,
    reason: line.reason ?? null,
    operations: line.operations === undefined ? null : [...line.operations],
    since: line.forMs === undefined ? null : writeTime(nowMs - line.forMs),
    for_ms: roundMs(line.forMs),
    wait_ms: Math.round(line.waitMs),
    calls: line.calls,
    failures: line.failures,
    last_failure: line.lastFailure ?? null,
    needs_operator: line.state !== 'healthy' && line.reason !== undefined && needsOperator(line.reason),
  }
}

function roundMs(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms)
}
