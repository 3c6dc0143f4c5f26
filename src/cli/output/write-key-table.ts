import type { KeyView } from '../../admin/contract.ts'
import { type TableColumn, writeTable } from './write-table.ts'

const columns: readonly TableColumn<KeyView>[] = [
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
  return writeTable(columns, keys)
}
