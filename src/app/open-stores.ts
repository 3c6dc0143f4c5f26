// Where the installation is stored, and the configuration and the secrets that are read from there.
import type { Config } from '../config/config.ts'
import type { ThreadsAhead } from '../storage/sqlite/threads-ahead.ts'
import { type OpenFolder, openFolder } from './nodes/open-folder.ts'
import { type OpenConfiguration, openConfiguration } from './open-configuration.ts'
import type { OpenKeys } from './open-data-folder.ts'
import type { ProcessPart } from './workers/process-part.ts'

export interface Stores extends OpenConfiguration, OpenFolder {
  readonly keys: OpenKeys
  /** The installation's admin token: the configuration's, else the one that the data folder holds. */
  readonly adminToken: string
  readonly metricsToken: string
  readonly secret: string
}

export interface StoresInput {
  readonly config: Config
  readonly version: string
  readonly part?: Pick<ProcessPart, 'openFolder'> | undefined
  /** The threads of the data folder, where they were loaded ahead. */
  readonly threads?: ThreadsAhead | undefined
}

/** The data folder, and the configuration that file and admin API make together. */
export async function openStores(
  { config: file, version, part, threads }: StoresInput,
  cleanup: AsyncDisposableStack,
): Promise<Stores> {
  const open = part?.openFolder ?? openFolder
  const { folder, shared } = await open(file, version, threads)
  const keys = await folder.openKeys(file.keys)
  cleanup.defer(() => keys.close())
  const configuration = await openConfiguration(file, { folder, keys })
  const { config } = configuration.liveConfig.state()
  return {
    ...configuration,
    folder,
    shared,
    keys,
    adminToken: config.adminToken ?? folder.secrets.adminToken(),
    metricsToken: config.metricsToken ?? folder.secrets.metricsToken(),
    secret: file.secret ?? folder.secrets.sealingSecret(),
  }
}
