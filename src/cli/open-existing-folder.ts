import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type DataFolder, openDataFolder, readSharedMark } from '../app/open-data-folder.ts'
import { OperatorError } from '../canonical/operator-error.ts'
import { readEnvironment } from '../config/source/environment.ts'
import { systemRandom } from '../kit/random/random.ts'
import { systemClock } from '../kit/time/clock.ts'

/** A data folder that a server has been started on: no command but `serve` and `restore` makes one. */
export function openExistingFolder(folder: string): DataFolder {
  const system = { clock: systemClock, random: systemRandom }
  const database = findSharedDatabase(folder)
  if (database !== undefined) return refuseOffline(openDataFolder(folder, system), database)
  if (existsSync(join(folder, 'headgate.db'))) return openDataFolder(folder, system)
  throw new OperatorError(
    'data_folder_missing',
    `no server runs here: there is no data folder at ${resolve(folder)}`,
  )
}

/** The database that holds the installation of a folder, as its last server or the environment says. */
export function findSharedDatabase(folder: string): string | undefined {
  const { databaseUrl } = readEnvironment()
  return readSharedMark(folder) ?? (databaseUrl === undefined ? undefined : 'of HEADGATE_DATABASE_URL')
}

/** The folder of a node: its server can be found by it, and nothing can be read or changed without one. */
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

/** The note of a command that works without a server. */
export function describeOffline(folder: string): string {
  return `headgate: no server runs on the data folder ${resolve(folder)}; the command uses its files directly\n`
}
