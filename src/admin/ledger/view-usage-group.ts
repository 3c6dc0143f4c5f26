import { writeDollars } from '../../canonical/money.ts'
import type { UsageDimension, UsageGroup, UsageQuery, UsageSums } from '../../metering/usage-query.ts'
import { viewUsageClasses } from '../view-usage.ts'
import { writeLocalTime } from './read-span.ts'
import type { UsageGroupView, UsageSumsView } from './usage-contract.ts'

const DATE_LENGTH = 10

export function viewGroup(
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
  if (name === null || (dimension !== 'day' && dimension !== 'hour')) return name
  const local = writeLocalTime(Date.parse(name), timeZone)
  return dimension === 'day' ? local.slice(0, DATE_LENGTH) : local
}

export function viewSums({ usage, cost, charged, ...counts }: UsageSums): UsageSumsView {
  const { requests, attempts, failed, estimated } = counts
  return {
    ...{ requests, attempts, failed, estimated },
    usage: viewUsageClasses(usage),
    cost_usd: Number(writeDollars(cost)),
    charged_usd: Number(writeDollars(charged)),
  }
}
