import type { z } from 'zod'
import type { Key } from '../../access/key.ts'
import type { GatewayError } from '../../canonical/failure.ts'
import { writeDollars } from '../../canonical/money.ts'
import { refuse } from '../../canonical/refusal.ts'
import { tagName } from '../../canonical/tags.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { writeTime } from '../../kit/time/write-time.ts'
import { spanAt } from '../../metering/budgets/budget-window.ts'
import type { LedgerReader } from '../../metering/ledger-reader.ts'
import {
  MAX_DIMENSIONS,
  subjectDimensions,
  timeDimensions,
  USAGE_SLOT_MS,
  type UsageDimension,
  type UsageGroup,
  type UsagePage,
  type UsageQuery,
  type UsageSums,
} from '../../metering/usage-query.ts'
import type { AdminRoute } from '../admin-route.ts'
import { readInput } from '../read-input.ts'
import { readOwnedBy } from '../read-reach.ts'
import { viewUsageClasses } from '../view-usage.ts'
import { readSpan, writeLocalTime } from './read-span.ts'
import { readUsageFilter } from './read-usage-filter.ts'
import {
  queryUsageSchema,
  type UsageGroupView,
  type UsageOperations,
  type UsageSumsView,
  usageReportSchema,
} from './usage-contract.ts'
import { readUsageCursor, writeUsageCursor } from './usage-cursor.ts'

const DEFAULT_LIMIT = 100
/** The length of the part of a timestamp that names its bucket, by time unit. */
const timeLengths: Readonly<Record<string, number | undefined>> = { hour: undefined, day: 10, month: 7 }

/** The operations that read usage. `keys` lists the existing keys; without a server none are known. */
export function createUsageOperations(
  reader: Pick<LedgerReader, 'usage'>,
  clock: Pick<Clock, 'nowMs'>,
  keys: () => readonly Pick<Key, 'id' | 'name'>[] = () => [],
): UsageOperations {
  return {
    async report(input, ownedBy) {
      const unrestricted = readQuery(readInput(queryUsageSchema, input), clock.nowMs())
      const query = { ...unrestricted, filter: { ...unrestricted.filter, ownedBy } }
      const page = await reader.usage(query)
      const last = page.groups.at(-1)
      const keyNames = findKeyNames(page, query, keys)
      return {
        by: [...query.by],
        since: writeTime(query.sinceMs),
        until: writeTime(query.untilMs),
        time_zone: query.timeZone,
        data: page.groups.map((group) => viewGroup(group, query, keyNames)),
        totals: viewSums(page.totals),
        has_more: page.hasMore,
        next: page.hasMore && last !== undefined ? writeUsageCursor(last) : null,
      }
    },
  }
}

/** The names of existing keys, and for others the latest names in the ledger, which does not see a change of a name. */
function findKeyNames(
  { groups, keyNames }: UsagePage,
  { by }: UsageQuery,
  keys: () => readonly Pick<Key, 'id' | 'name'>[],
): Readonly<Record<string, string>> {
  const index = by.indexOf('key')
  if (index === -1) return keyNames
  const shown = new Set(groups.map(({ names }) => names[index]))
  const existing = keys().flatMap(({ id, name }) => (shown.has(id) ? [[id, name]] : []))
  return { ...keyNames, ...Object.fromEntries(existing) }
}

type UsageParams = z.output<typeof queryUsageSchema>

/**
 * A query without a span covers the current month until now. A span is extended to whole quarters of an hour. A span
 * that starts in the future and has no end covers the first quarter.
 */
function readQuery(params: UsageParams, nowMs: number): UsageQuery {
  const by = readDimensions(params.by)
  const { sinceMs, timeZone, ...span } = readSpan(params)
  const untilMs = span.untilMs ?? Math.max(nowMs, (sinceMs ?? 0) + 1)
  const first = sinceMs ?? spanAt({ type: 'calendar', unit: 'month', timeZone }, untilMs - 1).startMs
  const isByTime = timeDimensions.some((each) => by.includes(each))
  return {
    by,
    sinceMs: Math.floor(first / USAGE_SLOT_MS) * USAGE_SLOT_MS,
    untilMs: Math.ceil(untilMs / USAGE_SLOT_MS) * USAGE_SLOT_MS,
    timeZone,
    filter: readUsageFilter(params),
    order: params.order ?? (isByTime ? 'name' : 'cost'),
    after: params.after === undefined ? undefined : readUsageCursor(params.after, by.length),
    limit: params.limit ?? DEFAULT_LIMIT,
  }
}

function readDimensions(text = ''): readonly UsageDimension[] {
  const names = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
  if (names.length > MAX_DIMENSIONS) throw refusedBy(`has more than ${MAX_DIMENSIONS} dimensions`)
  if (new Set(names).size < names.length) throw refusedBy('names a dimension twice')
  return names.map(readDimension)
}

function readDimension(name: string): UsageDimension {
  const time = timeDimensions.find((each) => each === name)
  if (time !== undefined) return time
  const subject = subjectDimensions.find((each) => each === name)
  if (subject !== undefined) return subject
  const [, tag = ''] = /^tag:(.+)$/.exec(name) ?? []
  if (tagName.test(tag)) return `tag:${tag}`
  throw refusedBy(
    `has "${name}", which is not one of ${subjectDimensions.join(', ')}, hour, day, month and tag:NAME`,
  )
}

function refusedBy(what: string): GatewayError {
  return refuse('invalid_field', {
    param: 'by',
    message: `"by" ${what}.`,
    fact: { code: 'wrong_format', values: { format: 'usage_dimensions' } },
  })
}

function viewGroup(
  group: UsageGroup,
  { by, timeZone }: Pick<UsageQuery, 'by' | 'timeZone'>,
  keyNames: Readonly<Record<string, string>>,
): UsageGroupView {
  const names: Record<string, string | null> = {}
  for (const [index, dimension] of by.entries()) {
    const name = group.names[index] ?? null
    names[dimension] = writeName(dimension, name, timeZone)
    if (dimension !== 'key') continue
    names['key'] = name === null ? null : (keyNames[name] ?? name)
    names['key_id'] = name
  }
  return { by: names, ...viewSums(group) }
}

function writeName(dimension: UsageDimension, name: string | null, timeZone: string): string | null {
  if (name === null || !(dimension in timeLengths)) return name
  return writeLocalTime(Date.parse(name), timeZone).slice(0, timeLengths[dimension])
}

function viewSums({ usage, cost, charged, ...counts }: UsageSums): UsageSumsView {
  const { requests, attempts, failed, estimated } = counts
  return {
    requests,
    attempts,
    failed,
    estimated,
    usage: viewUsageClasses(usage),
    cost_usd: Number(writeDollars(cost)),
    charged_usd: Number(writeDollars(charged)),
  }
}

export function createUsageRoutes(usage: UsageOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/usage',
      policy: { access: 'own', scope: 'usage:read' },
      summary: 'Add up requests, tokens and cost of a span by up to four dimensions',
      query: queryUsageSchema,
      answer: { status: 200, schema: usageReportSchema },
      errors: ['invalid_field', 'report_too_slow'],
      async handler(request) {
        return { status: 200, body: { ...(await usage.report(request.query, readOwnedBy(request))) } }
      },
    },
  ]
}
