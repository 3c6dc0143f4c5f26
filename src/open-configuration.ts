// Joins the configuration file to what the admin API keeps in the data folder.
import { type ConfigKeeper, openConfigKeeper } from './admin/config-keeper.ts'
import { type ConfigOperations, createConfigOperations } from './admin/config-operations.ts'
import type { Config } from './config/config.ts'
import { systemClock } from './kit/clock.ts'
import { systemRandom } from './kit/random.ts'
import { createSealer } from './kit/seal.ts'
import type { DataFolder, OpenKeys } from './open-data-folder.ts'
import { providerRegistry } from './providers/registry.ts'

export interface OpenConfiguration {
  readonly keeper: ConfigKeeper
  readonly operations: ConfigOperations
}

export interface ConfigurationParts {
  readonly folder: DataFolder
  readonly keys: OpenKeys
}

export async function openConfiguration(
  file: Config,
  { folder, keys }: ConfigurationParts,
): Promise<OpenConfiguration> {
  const store = keys.configVersions
  const sealer = createSealer(file.secret ?? folder.secrets.sealingSecret(), systemRandom)
  const keeper = await openConfigKeeper(file, {
    store,
    sealer,
    registry: providerRegistry,
    clock: systemClock,
  })
  const operations = createConfigOperations({
    keeper,
    store,
    registry: providerRegistry,
    keys: keys.operations,
  })
  return { keeper, operations }
}
