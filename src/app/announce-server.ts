// The file through which commands find the server, and the secrets that a first start creates.
import type { CreatedKey } from '../admin/keys/key-contract.ts'
import { makeFirstKey } from '../admin/keys/manage-keys.ts'
import type { FirstOwnerLink } from '../admin/people/manage-links.ts'
import { describeServer } from './apply-configuration.ts'
import type { Listeners } from './open-listeners.ts'
import type { People } from './open-people.ts'
import type { Stores } from './open-stores.ts'
import type { ProcessPart } from './workers/process-part.ts'

/** The secrets of a first start; undefined for secrets that exist already, or if there is an owner. */
export interface FirstSecrets {
  readonly firstKey: CreatedKey | undefined
  readonly firstOwner: FirstOwnerLink | undefined
}

export interface AnnouncedParts {
  readonly stores: Stores
  readonly people: People
  readonly listeners: Listeners
}

/**
 * Writes the file through which commands find the server, and creates the secrets of a first start. A worker does
 * neither.
 */
export async function announceServer(
  part: Pick<ProcessPart, 'type'> | undefined,
  { stores: { folder, keys, liveConfig }, people, listeners }: AnnouncedParts,
  cleanup: AsyncDisposableStack,
): Promise<FirstSecrets> {
  if (part?.type === 'worker') return { firstKey: undefined, firstOwner: undefined }
  const { config } = liveConfig.state()
  folder.server.write(describeServer(listeners, config))
  cleanup.defer(() => folder.server.remove())
  const firstKey = await makeFirstKey(keys.operations, folder.secrets.firstKey)
  const firstOwner =
    listeners.admin === undefined
      ? undefined
      : await people.operations.links.inviteFirstOwner({
          ...folder.secrets.firstOwner,
          isShared: config.database !== undefined,
        })
  return { firstKey, firstOwner }
}
