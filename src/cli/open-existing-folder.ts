import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type DataFolder, openDataFolder } from '../app/open-data-folder.ts'
import { OperatorError } from '../canonical/operator-error.ts'
import { systemRandom } from '../kit/random/random.ts'
import { systemClock } from '../kit/time/clock.ts'

/** A data folder that a server has been started on: no command but `serve` and `restore` makes one. */
export function openExistingFolder(folder: string): DataFolder {
  if (existsSync(join(folder, 'headgate.db'))) {
    return openDataFolder(folder, { clock: systemClock, random: systemRandom })
  }
  throw new OperatorError(
    'data_folder_missing',
    `no server runs here: there is no data folder at ${resolve(folder)}`,
  )
}

/** The note of a command that works without a server. */
export function describeOffline(folder: string): string {
  return `headgate: no server runs on the data folder ${resolve(folder)}; the command uses its files directly\n`
}
