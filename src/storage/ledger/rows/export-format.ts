import { writeCsvCell } from '../../../kit/bytes/csv-cell.ts'
import { type UsageClass, usageClasses } from '../ledger-tables.ts'
import type { SubjectRow, TagSet } from './subject-row.ts'

/** The columns of an exported row in order. Between tier and tool calls there is a number for each class of usage. */
export type ExportColumn =
  | 'number'
  | 'endedAt'
  | 'durationMs'
  | 'requestId'
  | 'attempt'
  | 'id'
  | 'subject'
  | 'tags'
  | 'state'
  | 'tier'
  | 'toolCalls'
  | 'usageEstimated'
  | 'cost'
  | 'charged'
  | 'flags'
  | 'corrects'

/** The way rows are written as lines. Numbers, times and amounts are the same in all formats. */
export interface ExportFormat {
  readonly header: string
  /** The text in front of each column. */
  readonly before: Readonly<Record<ExportColumn, string>>
  /** The text in front of each class of usage. */
  readonly beforeUsage: readonly string[]
  /** The end of a line. */
  readonly end: string
  subject(row: SubjectRow): string
  tags(tags: TagSet): string
  /** Writes an untrusted text, escaped. */
  text(text: string): string
  /** Writes the tool calls, which are JSON; null without any. */
  toolCalls(json: string | null): string
  flags(names: readonly string[]): string
  readonly corrects: { readonly none: string; readonly quote: string }
}

/** The name of a usage class in the admin API. */
function apiNameOfClass(name: UsageClass): string {
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
  'number',
  'ended_at',
  'duration_ms',
  'request_id',
  'attempt',
  'id',
  ...subjectColumns.map(([name]) => name),
  'tags',
  ...['state', 'tier', ...usageClasses.map(apiNameOfClass)],
  'tool_calls',
  'usage_estimated',
  'cost_usd',
  'charged_usd',
  'flags',
  'corrects',
]

const csv: ExportFormat = {
  header: `${csvColumns.join(',')}\n`,
  before: {
    number: '',
    endedAt: ',',
    durationMs: ',',
    requestId: ',',
    attempt: ',',
    id: ',',
    subject: ',',
    tags: ',',
    state: ',',
    tier: ',',
    toolCalls: ',',
    usageEstimated: ',',
    cost: ',',
    charged: ',',
    flags: ',',
    corrects: ',',
  },
  beforeUsage: usageClasses.map(() => ','),
  end: '\n',
  subject: (row) => subjectColumns.map(([, read]) => writeCsvCell(read(row))).join(','),
  tags: (tags) => (Object.keys(tags).length === 0 ? '' : writeCsvCell(JSON.stringify(tags))),
  text: writeCsvCell,
  toolCalls: (json) => (json === null ? '' : writeCsvCell(json)),
  flags: (names) => names.join(' '),
  corrects: { none: '', quote: '' },
}

const jsonl: ExportFormat = {
  header: '',
  before: {
    number: '{"number":',
    endedAt: ',"ended_at":"',
    durationMs: '","duration_ms":',
    requestId: ',"request_id":"',
    attempt: '","attempt":',
    id: ',"id":"',
    subject: '",',
    tags: ',"tags":',
    state: ',"state":"',
    tier: '","tier":"',
    toolCalls: ',"tool_calls":',
    usageEstimated: ',"estimated":',
    cost: '},"cost_usd":',
    charged: ',"charged_usd":',
    flags: ',"flags":',
    corrects: ',"corrects":',
  },
  beforeUsage: usageClasses.map(
    (name, index) => `${index === 0 ? '","usage":{' : ','}"${apiNameOfClass(name)}":`,
  ),
  end: '}\n',
  subject: (row) =>
    subjectColumns
      .map(([name, read]) => `"${name}":${read(row) === '' ? 'null' : JSON.stringify(read(row))}`)
      .join(','),
  tags: (tags) => JSON.stringify(tags),
  text: (text) => JSON.stringify(text).slice(1, -1),
  toolCalls: (json) => json ?? '{}',
  flags: (names) => JSON.stringify(names),
  corrects: { none: 'null', quote: '"' },
}

export const exportFormats: Readonly<Record<'csv' | 'jsonl', ExportFormat>> = { csv, jsonl }
