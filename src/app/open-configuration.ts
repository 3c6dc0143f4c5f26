// Combines the configuration file with the changes that the admin API stores in the data folder.
import { type ConfigOperations, createConfigOperations } from '../admin/config/config-operations.ts'
import { type LiveConfig, openLiveConfig } from '../admin/config/live-config.ts'
import { createSealedDrafts, type OpenDrafts } from '../admin/drafts/sealed-drafts.ts'
import { createGroupDependents } from '../admin/groups/group-dependents.ts'
import type { Config } from '../config/config.ts'
import { reencryptDocument } from '../config/secrets/seal-document.ts'
import { earlierSecretsOf } from '../config/source/environment.ts'
import { createSealer, type Sealer } from '../kit/bytes/seal.ts'
import { systemRandom } from '../kit/random/random.ts'
import { systemClock } from '../kit/time/clock.ts'
import { providerRegistry } from '../providers/registry.ts'
import type { OpenedSealedStores } from '../storage/open-key-store.ts'
import type { DataFolder, OpenKeys } from './open-data-folder.ts'

export interface OpenConfiguration {
  readonly liveConfig: LiveConfig
  readonly operations: ConfigOperations
  readonly drafts: OpenDrafts
  readonly sealedStores: OpenedSealedStores
}

export interface ConfigurationOptions {
  readonly folder: DataFolder
  readonly keys: OpenKeys
}

export async function openConfiguration(
  file: Config,
  { folder, keys }: ConfigurationOptions,
): Promise<OpenConfiguration> {
  const store = keys.configVersions
  const sealer = createSealer(file.secret ?? folder.secrets.sealingSecret(), systemRandom)
  const sealedStores = await rotateSealingSecret({ file, folder, keys, sealer })
  const liveConfig = await openLiveConfig(file, {
    store,
    sealer,
    registry: providerRegistry,
    clock: systemClock,
  })
  keys.registry.changeGroups(liveConfig.state().config.groups)
  const operations = createConfigOperations({
    liveConfig,
    groups: createGroupDependents({ stores: keys.people, keys: keys.registry.keys }),
    store,
    registry: providerRegistry,
  })
  return { liveConfig, operations, drafts: createSealedDrafts(keys.configDrafts, sealer), sealedStores }
}

interface SealingInput extends ConfigurationOptions {
  readonly file: Config
  readonly sealer: Sealer
}

/** Seals everything again that the previous secret sealed, after a change of the secret: all of it or nothing. */
async function rotateSealingSecret({
  file,
  folder,
  keys,
  sealer,
}: SealingInput): Promise<OpenedSealedStores> {
  const earlier = [
    ...earlierSecretsOf(file),
    ...folder.secrets.earlierSealingSecrets(file.secret !== undefined),
  ]
  const previous = earlier.map((secret) => createSealer(secret, systemRandom))
  const opened = await keys.openSealedStores({ sealer, previous, random: systemRandom })
  if (earlier.length === 0) return opened
  const changed = await keys.configVersions.rewrite((document, number) =>
    reencryptDocument(document, { type: 'version', number }, { sealer, previous }),
  )
  const changedDrafts = await keys.configDrafts.rewrite((document, id) =>
    reencryptDocument(document, { type: 'draft', id }, { sealer, previous }),
  )
  // A key that opened nothing may be the wrong file, so it is not deleted here. The operator must remove it.
  if (changed + changedDrafts > 0 || opened.sealedBy === 'resealed') folder.secrets.dropEarlierSealingSecret()
  return opened
}
