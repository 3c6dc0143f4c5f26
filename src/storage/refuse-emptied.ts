// Refuses databases that lost all their bytes, for example by a copy onto a full disk. SQLite takes such a file for a
// new database, and the start would go on without what it had.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../canonical/operator-error.ts'
import type { SqliteRunner } from './sqlite/open-sqlite.ts'

/** Refuses an empty `headgate.db` in a folder with a pepper, which is made after the first tables. */
export function refuseEmptied(dataFolder: string, file: string): void {
  const pepper = join(dataFolder, 'pepper')
  if (!isEmpty(file) || !existsSync(pepper)) return
  throw new OperatorError('database_damaged', `${file} is empty, although ${pepper} shows that it had keys`, {
    advice: 'restore it from a copy; to begin without these keys and changes, delete it',
  })
}

/** Refuses an empty `ledger.db` where keys were used. The ledger has its tables before a server serves a key. */
export async function refuseEmptiedLedger(dataFolder: string, database: SqliteRunner): Promise<void> {
  const file = join(dataFolder, 'ledger.db')
  if (!isEmpty(file)) return
  const [used] = await database.run([{ sql: 'select 1 from key_uses limit 1', parameters: [] }], 'single')
  if (used?.rows.length === 0) return
  throw new OperatorError('database_damaged', `${file} is empty, although keys in headgate.db were used`, {
    advice:
      'restore it from a copy; to begin without what was spent, so that all budgets are full, delete it',
  })
}

function isEmpty(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.size === 0
}
