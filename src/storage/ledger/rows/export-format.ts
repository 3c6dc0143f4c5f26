import type { NanoDollars } from '../../../canonical/money.ts'
import { writeDollars } from '../../../canonical/money.ts'
import { writeCsvCell } from '../../../kit/bytes/csv-cell.ts'
import { type UsageClass, usageClasses, usageColumns } from '../ledger-tables.ts'
import type { SubjectRow, Tags } from './subject-row.ts'

/** A row on its way out. Hundreds of thousands are written a second, so that nothing of it is parsed. */
export interface ExportedRow {
  readonly number: number
  readonly endedAt: string
  readonly durationMs: number
  readonly id: string
  readonly requestId: string
  readonly attempt: number
  readonly state: string
  readonly tier: string
  /** As the format's own SQL has written it. */
  readonly usage: string
  readonly isUsageEstimated: boolean
  readonly cost: NanoDollars
  readonly charged: NanoDollars
  /** JSON; null without any. */
  readonly toolCalls: string | null
  readonly flags: readonly string[]
  readonly corrects: string | null
}

/** How rows are written as lines, each with its end. */
export interface ExportFormat {
  readonly header: string
  /** An expression over the table that gives the usage as text: SQLite joins it faster than numbers are handed over. */
  readonly usageSql: string
  /** What all rows of a subject have in common, written once. */
  subject(row: SubjectRow): string
  tags(tags: Tags): string
  line(row: ExportedRow, subject: string, tags: string): string
}

/** As the admin API calls it. */
export function wordOfClass(name: UsageClass): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

const subjectColumns = [
  ['key_id', (row) => row.key_id],
  ['key', (row) => row.key_name],
  ['user', (row) => row.user_id],
  ['group', (row) => row.group_name],
  ['model', (row) => row.model],
  ['channel', (row) => row.channel],
  ['upstream_model', (row) => row.upstream_model],
  ['price_version', (row) => row.price_version],
] as const satisfies readonly (readonly [string, (row: SubjectRow) => string])[]

const csvColumns = [
  ...['number', 'ended_at', 'duration_ms', 'request_id', 'attempt', 'id'],
  ...subjectColumns.map(([name]) => name),
  'tags',
  ...['state', 'tier', ...usageClasses.map(wordOfClass)],
  ...['tool_calls', 'usage_estimated', 'cost_usd', 'charged_usd', 'flags', 'corrects'],
]

const csv: ExportFormat = {
  header: `${csvColumns.join(',')}\n`,
  usageSql: `concat_ws(',', ${usageClasses.map((name) => usageColumns[name]).join(', ')})`,
  subject: (row) => subjectColumns.map(([, read]) => writeCsvCell(read(row))).join(','),
  tags: (tags) => (Object.keys(tags).length === 0 ? '' : writeCsvCell(JSON.stringify(tags))),
  line(row, subject, tags) {
    const { number, endedAt, durationMs, requestId, attempt, id, state, tier, usage } = row
    const calls = row.toolCalls === null ? '' : writeCsvCell(row.toolCalls)
    const money = `${writeDollars(row.cost)},${writeDollars(row.charged)}`
    return `${number},${endedAt},${durationMs},${requestId},${attempt},${id},${subject},${tags},${state},${tier},${usage},${calls},${row.isUsageEstimated},${money},${row.flags.join(' ')},${row.corrects ?? ''}\n`
  },
}

const jsonl: ExportFormat = {
  header: '',
  usageSql: usageClasses
    .map((name, index) => `'${index === 0 ? '' : ','}"${wordOfClass(name)}":' || ${usageColumns[name]}`)
    .join(' || '),
  subject: (row) =>
    subjectColumns
      .map(([name, read]) => `"${name}":${read(row) === '' ? 'null' : JSON.stringify(read(row))}`)
      .join(','),
  tags: (tags) => JSON.stringify(tags),
  line(row, subject, tags) {
    const { number, endedAt, durationMs, requestId, attempt, id, state, tier } = row
    const usage = `{${row.usage},"tool_calls":${row.toolCalls ?? '{}'},"estimated":${row.isUsageEstimated}}`
    const money = `"cost_usd":${writeDollars(row.cost)},"charged_usd":${writeDollars(row.charged)}`
    const rest = `"flags":${JSON.stringify(row.flags)},"corrects":${JSON.stringify(row.corrects)}`
    return `{"number":${number},"ended_at":"${endedAt}","duration_ms":${durationMs},"request_id":${JSON.stringify(requestId)},"attempt":${attempt},"id":${JSON.stringify(id)},${subject},"tags":${tags},"state":"${state}","tier":"${tier}","usage":${usage},${money},${rest}}\n`
  },
}

export const exportFormats: Readonly<Record<'csv' | 'jsonl', ExportFormat>> = { csv, jsonl }
