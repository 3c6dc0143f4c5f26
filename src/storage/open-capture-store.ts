import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import type { CaptureStore } from '../capture/capture-store.ts'
import { type CaptureDatabase, captureMigrations, createSqlCaptureStore } from './capture-store-sql.ts'
import { makeDataFolder } from './files/make-data-folder.ts'
import { LazyStore } from './lazy-store.ts'
import { migrateFile } from './sqlite/migrate-file.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { createSqliteDialect } from './sqlite/sqlite-dialect.ts'

/** The file of captured prompts and answers. Backups do not include it, since captures have their own retention. */
export const CAPTURE_FILE = 'captures.db'

/**
 * The captures of a data folder. The file is created with the first capture. Without the file, there are no captures.
 */
export function createCaptureFile(dataFolder: string): CaptureStore {
  const file = new LazyStore(() => openCaptureStore(dataFolder))
  const find = async () => (existsSync(join(dataFolder, CAPTURE_FILE)) ? file.open() : undefined)
  return {
    append: async (captures) => (await file.open()).append(captures),
    page: async (query) => (await (await find())?.page(query)) ?? { captures: [], hasMore: false },
    find: async (requestId) => (await find())?.find(requestId),
    findCaptured: async (requestIds) => (await (await find())?.findCaptured(requestIds)) ?? new Set(),
    delete: async (requestId) => (await (await find())?.delete(requestId)) ?? false,
    deleteOfKey: async (key) => (await (await find())?.deleteOfKey(key)) ?? 0,
    deleteAll: async () => (await find())?.deleteAll(),
    prune: async (limits) => (await find())?.prune(limits),
    totals: async () => (await (await find())?.totals()) ?? { count: 0, bytes: 0 },
    close: () => file.close(),
  }
}

/** Opens the capture store and migrates its tables. Throws an error for the operator. */
export async function openCaptureStore(dataFolder: string): Promise<CaptureStore> {
  makeDataFolder(dataFolder)
  const file = join(dataFolder, CAPTURE_FILE)
  const database = await openSqlite(file)
  try {
    await migrateFile(file, database, { steps: captureMigrations })
  } catch (error) {
    await database.close()
    throw error
  }
  const queries = new Kysely<CaptureDatabase>({ dialect: createSqliteDialect(database) })
  return createSqlCaptureStore(queries, () => database.close())
}
