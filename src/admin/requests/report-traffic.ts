import type { z } from 'zod'
import type { GatewayError } from '../../canonical/failure.ts'
import type { OwnedBy } from '../../canonical/owned-by.ts'
import { refuse } from '../../canonical/refusal.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { DAY_MS, HOUR_MS } from '../../kit/time/time-units.ts'
import { writeTime, writeTimeOrNull } from '../../kit/time/write-time.ts'
import { latencyAt } from '../../request-log/latency-histogram.ts'
import type { RequestLogStore } from '../../request-log/request-log-store.ts'
import {
  findTrafficFacet,
  type TrafficCounts,
  type TrafficGroup,
  type TrafficQuery,
  trafficSubjects,
} from '../../request-log/traffic.ts'
import type { AdminRoute } from '../admin-route.ts'
import { readSpan, writeLocalTime } from '../ledger/read-span.ts'
import { readInput } from '../read-input.ts'
import { readOwnedBy } from '../read-reach.ts'
import {
  queryTrafficSchema,
  type TrafficCountsView,
  type TrafficGroupView,
  type TrafficOperations,
  trafficReportSchema,
} from './traffic-contract.ts'

const DEFAULT_LIMIT = 50
const DATE_LENGTH = 10
/** The limit on a span by the hour, as each hour is a group. */
const MAX_SPAN_MS = 400 * DAY_MS

export function createTrafficOperations(
  log: Pick<RequestLogStore, 'traffic'>,
  clock: Pick<Clock, 'nowMs'>,
): TrafficOperations {
  return {
    async report(input, ownedBy) {
      const query = readQuery(readInput(queryTrafficSchema, input), clock.nowMs(), ownedBy)
      const { groups, totals, keyNames, countedUntilMs } = await log.traffic(query)
      return {
        by: query.by ?? null,
        since: writeTime(query.sinceMs),
        until: writeTime(query.untilMs),
        time_zone: query.timeZone,
        data: groups.map((group) => ({ by: nameGroup(group, query, keyNames), ...viewCounts(group) })),
        totals: viewCounts(totals),
        counted_until: writeTimeOrNull(countedUntilMs),
      }
    },
  }
}

function readQuery(
  { by, limit = DEFAULT_LIMIT, since, until, time_zone, ...named }: z.output<typeof queryTrafficSchema>,
  nowMs: number,
  ownedBy: OwnedBy | undefined,
): TrafficQuery {
  const { sinceMs, untilMs = nowMs, timeZone } = readSpan({ since, until, time_zone })
  const query = {
    by,
    timeZone,
    limit,
    filter: { ...named, ownedBy },
    sinceMs: Math.floor((sinceMs ?? untilMs - DAY_MS) / HOUR_MS) * HOUR_MS,
    untilMs: Math.ceil(untilMs / HOUR_MS) * HOUR_MS,
  }
  if (query.untilMs - query.sinceMs > MAX_SPAN_MS)
    throw refuse('invalid_field', {
      param: 'since',
      message: `"since" is more than ${MAX_SPAN_MS / DAY_MS} days before the end of the span.`,
      fact: { code: 'span_too_long', values: { days: MAX_SPAN_MS / DAY_MS } },
    })
  if (findTrafficFacet(query) === undefined) throw refuseCombination(query)
  return query
}

function refuseCombination({ by, filter }: TrafficQuery): GatewayError {
  const subjects = trafficSubjects.filter((subject) => subject === by || filter[subject] !== undefined)
  const message = `Requests are not counted by ${subjects.join(', ')} together. Leave one of them out; a key is counted by itself.`
  return refuse('invalid_field', {
    param: subjects[0] ?? 'by',
    message,
    fact: { code: 'not_counted_together', values: { fields: subjects } },
  })
}

function nameGroup(
  { name }: TrafficGroup,
  { by, timeZone }: TrafficQuery,
  keyNames: Readonly<Record<string, string>>,
): TrafficGroupView['by'] {
  if (by === undefined) return {}
  if (by === 'key') return { key: name === null ? null : (keyNames[name] ?? name), key_id: name }
  if (name === null || (by !== 'hour' && by !== 'day')) return { [by]: name }
  const local = writeLocalTime(Date.parse(name), timeZone)
  return { [by]: by === 'day' ? local.slice(0, DATE_LENGTH) : local }
}

function viewCounts({ requests, refused, failed, ...counts }: TrafficCounts): TrafficCountsView {
  return {
    requests,
    refused,
    failed,
    rate_limited: counts.rateLimited,
    first_content_ms: viewLatency(counts.firstContent),
    total_ms: viewLatency(counts.total),
  }
}

function viewLatency(classes: readonly number[]): TrafficCountsView['total_ms'] {
  const at = (share: number) => latencyAt(classes, share) ?? null
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

export function createTrafficRoutes(traffic: TrafficOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/traffic',
      policy: { access: 'own', scope: 'requests:read' },
      summary: 'Count requests and errors of a span, with percentiles of their times, by one dimension',
      query: queryTrafficSchema,
      answer: { status: 200, schema: trafficReportSchema },
      errors: ['invalid_field'],
      async handler(request) {
        return { status: 200, body: { ...(await traffic.report(request.query, readOwnedBy(request))) } }
      },
    },
  ]
}
