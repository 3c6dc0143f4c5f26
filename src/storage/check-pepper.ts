import { createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../canonical/operator-error.ts'
import { numberOf } from './sqlite/column-values.ts'
import type { SqliteRunner } from './sqlite/open-sqlite.ts'

/** The pepper of the stored keys, and whether any key is stored. */
export interface UsedPepper {
  readonly pepper: Buffer
  readonly hasKeys: boolean
}

/**
 * Refuses another pepper than that of the stored keys, since no key would work. The file of the database has a mark of
 * the pepper in its header, in the number that SQLite leaves to programs. 0 means that there is none yet.
 */
export async function checkPepper(
  dataFolder: string,
  database: SqliteRunner,
  { pepper, hasKeys }: UsedPepper,
): Promise<void> {
  const mark = markOf(pepper)
  const [read] = await database.run([{ sql: 'pragma user_version', parameters: [] }], 'single')
  const stored = numberOf(Object.values(read?.rows[0] ?? {})[0])
  if (stored === mark) return
  if (stored !== 0 && hasKeys) {
    const file = join(dataFolder, 'pepper')
    throw new OperatorError(
      'secret_mismatch',
      `${existsSync(file) ? file : 'HEADGATE_PEPPER'} is not the one that the keys in headgate.db were stored with`,
      { advice: 'restore that one from a copy, as without it no stored key works' },
    )
  }
  try {
    await database.run([{ sql: `pragma user_version = ${mark}`, parameters: [] }], 'single')
  } catch {
    // A full disk must not keep the server from starting. The next start writes the mark.
  }
}

/** A number that tells one pepper from another, and reveals neither. */
function markOf(pepper: Buffer): number {
  return createHmac('sha256', pepper).update('headgate mark pepper').digest().readInt32BE() || 1
}
