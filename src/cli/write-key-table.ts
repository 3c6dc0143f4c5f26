import type { KeyView } from '../admin/contract.ts'

const columns: readonly (readonly [string, (key: KeyView) => string])[] = [
  ['NAME', ({ name }) => name],
  ['ID', ({ id }) => id],
  ['SECRET', ({ hint }) => (hint === '' ? '' : `${hint}…`)],
  ['STATUS', ({ status }) => status],
  ['MODELS', ({ models }) => models.join(',')],
  ['GROUP', ({ group }) => group ?? ''],
  ['ADDRESSES', ({ allow_ips }) => allow_ips.join(',')],
  ['EXPIRES', ({ expires_at }) => expires_at ?? ''],
  ['ORIGIN', ({ origin }) => (origin === 'bootstrap' ? 'file' : 'made')],
]

/** Keys as aligned columns, for people. */
export function writeKeyTable(keys: readonly KeyView[]): string {
  const rows = [
    columns.map(([title]) => title),
    ...keys.map((key) => columns.map(([, cell]) => cell(key) || '-')),
  ]
  const widths = columns.map((_column, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  '))
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}
