// The storage of an installation: the data folder of only this process, or a database that nodes share.
import type { Config } from '../../config/config.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { systemClock } from '../../kit/time/clock.ts'
import type { ThreadSource } from '../../storage/sqlite/program-thread.ts'
import { type DataFolder, openDataFolder } from '../open-data-folder.ts'
import { openSharedFolder } from './open-shared-folder.ts'
import type { SharedState } from './shared-state.ts'

export interface OpenFolder {
  readonly folder: DataFolder
  /** The state that other processes share with this one; undefined if there are no other processes. */
  readonly shared: SharedState | undefined
}

export interface OpenFolderOptions {
  /** The source of loaded threads for the data folder, if any. */
  readonly threads?: ThreadSource | undefined
  /** The name of the supervisor whose processes share the data folder. */
  readonly supervisor?: string | undefined
}

export async function openFolder(
  config: Config,
  version: string,
  { threads, supervisor }: OpenFolderOptions = {},
): Promise<OpenFolder> {
  const system = { clock: systemClock, random: systemRandom }
  if (config.database === undefined) {
    const { pepper } = config.file.environment
    return { folder: openDataFolder(config.dataFolder, { ...system, pepper, threads }), shared: undefined }
  }
  const folder = await openSharedFolder(config, { ...system, version, supervisor })
  return { folder, shared: folder.shared }
}
