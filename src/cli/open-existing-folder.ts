import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type DataFolder, openDataFolder, readSharedMark, type SharedMark } from '../app/open-data-folder.ts'
import { OperatorError } from '../canonical/operator-error.ts'
import { readEnvironment } from '../config/source/environment.ts'
import { systemRandom } from '../kit/random/random.ts'
import { systemClock } from '../kit/time/clock.ts'

/** Opens a data folder on which a server was started before. Only `serve` and `restore` create a data folder. */
export function openExistingFolder(folder: string): DataFolder {
  const system = { clock: systemClock, random: systemRandom, pepper: readEnvironment().pepper }
  const database = findSharedDatabase(folder)
  if (database !== undefined) return refuseOffline(openDataFolder(folder, system), database.name)
  if (existsSync(join(folder, 'headgate.db'))) return openDataFolder(folder, system)
  throw describeMissing(folder)
}

/** Refuses a folder whose process was not found: to say that no server runs there would be wrong. */
export function refuseInUse(data: Pick<DataFolder, 'isInUse'>, folder: string): void {
  if (!data.isInUse()) return
  throw new OperatorError(
    'data_folder_in_use',
    `a Headgate process uses the data folder ${resolve(folder)}, but takes no commands: it starts or ends, is a command itself, or is of another version`,
    { advice: 'try again in a moment; if that does not help, restart the server' },
  )
}

/** Refuses a folder that is absent, or that this user has no right to. A node's folder has no databases. */
export function requireFolder(folder: string): void {
  findSharedDatabase(folder)
  if (!existsSync(folder)) throw describeMissing(folder)
}

function describeMissing(folder: string): OperatorError {
  return new OperatorError(
    'data_folder_missing',
    `no server runs here: there is no data folder at ${resolve(folder)}`,
  )
}

/** Finds the database of a folder's installation, from its last server or the environment. */
export function findSharedDatabase(folder: string): SharedMark | undefined {
  const { databaseUrl } = readEnvironment()
  const ofEnvironment = { name: 'of HEADGATE_DATABASE_URL', schema: undefined }
  return readSharedMark(folder) ?? (databaseUrl === undefined ? undefined : ofEnvironment)
}

/**
 * Returns the folder of a node with a shared database. The folder shows where the node's server is, but no data can be
 * read or changed without a server.
 */
function refuseOffline(folder: DataFolder, database: string): DataFolder {
  const refuse = async (): Promise<never> => {
    throw new OperatorError(
      'not_with_postgres',
      `no server runs here, and the installation is in the database ${database}`,
      { advice: 'start a node, or give the command the data folder of one that runs' },
    )
  }
  return {
    ...folder,
    isInUse: () => false,
    openKeys: refuse,
    openRequests: refuse,
    openLedger: refuse,
    openMetering: refuse,
  }
}

/** Writes the note of a command that works without a server. */
export function describeOffline(folder: string): string {
  return `headgate: no server runs on the data folder ${resolve(folder)}; the command uses its files directly\n`
}
