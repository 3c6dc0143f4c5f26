import { causeOf, GatewayError } from '../../canonical/failure.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import { applyMigrations } from './apply-migrations.ts'
import type { Migration } from './migrations.ts'
import type { SqliteRunner } from './open-sqlite.ts'
import { openingError } from './opening-error.ts'
import { describeSqliteFault } from './sqlite-file.ts'

export interface FileMigration {
  readonly steps: readonly Migration[]
  readonly copyBefore?: (version: number) => Promise<void>
}

/** Brings the tables of an open file up to date. An error for the operator names the file. */
export async function migrateFile(
  file: string,
  database: SqliteRunner,
  { steps, copyBefore }: FileMigration,
): Promise<void> {
  try {
    await applyMigrations(database, steps, copyBefore)
  } catch (error) {
    if (error instanceof GatewayError)
      throw new OperatorError('database_unusable', causeOf(error) ?? error.message, { cause: error })
    if (!(error instanceof OperatorError)) throw error
    throw openingError(file, describeSqliteFault(error), error.advice)
  }
}
