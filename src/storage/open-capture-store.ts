import { join } from 'node:path'
import { Kysely } from 'kysely'
import type { CaptureStore } from '../capture/capture-store.ts'
import { type CaptureDatabase, captureMigrations, createSqlCaptureStore } from './capture-store-sql.ts'
import { makeDataFolder } from './files/make-data-folder.ts'
import { applyMigrations } from './sqlite/apply-migrations.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { createSqliteDialect } from './sqlite/sqlite-dialect.ts'

/** The file of captured prompts and answers. Backups do not include it, since captures have their own retention. */
export const CAPTURE_FILE = 'captures.db'

/** Opens the capture store and migrates its tables. Throws an error for the operator. */
export async function openCaptureStore(dataFolder: string): Promise<CaptureStore> {
  makeDataFolder(dataFolder)
  const database = await openSqlite(join(dataFolder, CAPTURE_FILE))
  try {
    await applyMigrations(database, captureMigrations)
  } catch (error) {
    await database.close()
    throw error
  }
  const queries = new Kysely<CaptureDatabase>({ dialect: createSqliteDialect(database) })
  return createSqlCaptureStore(queries, () => database.close())
}
