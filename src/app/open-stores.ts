// The stores of the installation, with the configuration and the secrets that are read from them.
import type { Config } from '../config/config.ts'
import { readSharedMark, unmarkShared } from '../storage/files/shared-mark.ts'
import type { ThreadSource } from '../storage/sqlite/program-thread.ts'
import { type OpenFolder, openFolder } from './nodes/open-folder.ts'
import { type OpenConfiguration, openConfiguration } from './open-configuration.ts'
import type { OpenKeys } from './open-data-folder.ts'
import type { ProcessPart } from './workers/process-part.ts'

export interface Stores extends OpenConfiguration, OpenFolder {
  readonly keys: OpenKeys
  /** The installation's admin token: that of the configuration, else that of the data folder. */
  readonly adminToken: string
  readonly metricsToken: string
  readonly secret: string
}

export interface StoresInput {
  readonly config: Config
  readonly version: string
  readonly part?: Pick<ProcessPart, 'openFolder' | 'type'> | undefined
  readonly printError: (line: string) => void
  /** The source of loaded threads for the data folder, if any. */
  readonly threads?: ThreadSource | undefined
}

const OTHER_SECRET_WARNING =
  'headgate: warning: another secret sealed the stored responses, the answers for idempotency keys and the batches of this data folder, so that they cannot be read; if that is not meant, stop it and start with the earlier secret, which reads them again: the HEADGATE_SECRET or the file "secret" of then'

/** Opens the data folder, and combines the configuration file with the changes of the admin API. */
export async function openStores(
  { config: file, version, part, printError, threads }: StoresInput,
  cleanup: AsyncDisposableStack,
): Promise<Stores> {
  const open = part?.openFolder ?? openFolder
  const { folder, shared } = await open(file, version, { threads })
  const keys = await folder.openKeys(file.keys)
  cleanup.defer(() => keys.close())
  if (file.database === undefined && part?.type !== 'worker') leaveDatabase(file.dataFolder, printError)
  const configuration = await openConfiguration(file, { folder, keys })
  if (configuration.sealedStores.sealedBy === 'lost') printError(OTHER_SECRET_WARNING)
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

/**
 * Removes the mark of a node from its data folder, which this process owns: commands would refuse to use the folder.
 * Warns, as keys and spending of the database are missing here, and a variable that is lost has the same effect.
 */
function leaveDatabase(dataFolder: string, printError: (line: string) => void): void {
  const database = readSharedMark(dataFolder)
  if (database === undefined) return
  unmarkShared(dataFolder)
  printError(
    `headgate: warning: the last start used the database ${database.name}, and this one uses the data folder ${dataFolder}, which has no change since then, such as to keys and what budgets have spent; if that is not meant, stop it and set HEADGATE_DATABASE_URL`,
  )
}
