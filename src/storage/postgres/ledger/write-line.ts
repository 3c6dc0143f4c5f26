import { writeDollars } from '../../../canonical/money.ts'
import type { NumberedRow } from '../../../metering/ledger-reader.ts'
import { flagNames } from '../../../metering/ledger-row.ts'
import { usageClasses } from '../../ledger/ledger-tables.ts'
import type { ExportFormat } from '../../ledger/rows/export-format.ts'

/** Writes a row in the same format as the embedded ledger. */
export function writeLine({ number, row }: NumberedRow, format: ExportFormat): string {
  const { before, beforeUsage } = format
  const { usage, flags } = row
  const names = flagNames.flatMap(([flag, name]) => (flags[flag] === true ? [name] : []))
  const calls = Object.keys(usage.toolCalls).length === 0 ? null : JSON.stringify(usage.toolCalls)
  const { none, quote } = format.corrects
  const corrects = flags.corrects === undefined ? none : `${quote}${format.text(flags.corrects)}${quote}`
  return [
    `${before.number}${number}`,
    `${before.endedAt}${new Date(row.endedAtMs).toISOString()}`,
    `${before.durationMs}${row.endedAtMs - row.startedAtMs}`,
    `${before.requestId}${format.text(row.requestId)}`,
    `${before.attempt}${row.attempt}`,
    `${before.id}${format.text(row.id)}`,
    `${before.subject}${writeSubject(row, format)}`,
    `${before.tags}${format.tags(row.tags)}`,
    `${before.state}${row.state}`,
    `${before.tier}${row.tier}`,
    ...usageClasses.map((name, index) => `${beforeUsage[index] ?? ''}${usage[name]}`),
    `${before.toolCalls}${format.toolCalls(calls)}`,
    `${before.usageEstimated}${usage.isEstimated}`,
    `${before.cost}${writeDollars(row.cost)}`,
    `${before.charged}${writeDollars(row.charged)}`,
    `${before.flags}${format.flags(names)}`,
    `${before.corrects}${corrects}`,
    format.end,
  ].join('')
}

function writeSubject(row: NumberedRow['row'], format: ExportFormat): string {
  return format.subject({
    key_id: row.keyId,
    key_name: row.keyName,
    user_id: row.userName ?? '',
    group_name: row.group ?? '',
    model: row.model,
    channel: row.channel,
    upstream_model: row.upstreamModel,
    price_version: row.priceVersion ?? '',
  })
}
