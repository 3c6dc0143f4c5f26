import { permits } from '../../access/permission.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { CatalogSource } from '../../catalog/catalog.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { Corrections } from '../../metering/ledger/corrections.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import type { RecoveryPolicy } from '../../routing/recovery-schema.ts'
import type { RemoteObject, RemoteObjectStore } from '../../stored-answers/remote-object.ts'
import type { AttemptLog } from '../attempt/attempt-log.ts'
import type { ObjectRequest } from '../exchange/caller-request.ts'
import type { CallerConnection } from '../response/caller-connection.ts'
import type { ResponseWriter } from '../response/response-writer.ts'
import { findResponseOwner } from '../retrieval/ask-response-owner.ts'
import type { FoundOwner } from '../retrieval/owner-lane.ts'
import type { Spending } from '../spending/spending.ts'
import type { CallDependencies } from './call-provider.ts'

export interface ObjectDependencies extends CallDependencies {
  readonly catalog: CatalogSource
  readonly providers: ProviderRegistry
  readonly remoteObjects: RemoteObjectStore
  readonly spending: Spending
  readonly corrections: Pick<Corrections, 'correct'>
  readonly recovery: RecoveryPolicy
}

/** One request for a file or a batch, with all that its steps use. */
export interface ObjectCall extends ObjectDependencies {
  readonly request: ObjectRequest
  readonly writer: ResponseWriter
  readonly callerConnection: CallerConnection
  readonly attempts: AttemptLog
  /** Enters the public name of the model in the request's row. */
  recordModel(publicName: string): void
}

/** The time for answers that are small. */
export const SMALL_ANSWER_MS = MINUTE_MS

/** An object of the key that asks. Rejects with the same error for one of another key and for one that is not there. */
export async function findObject(
  { request: { caller }, remoteObjects, clock, recordModel }: ObjectCall,
  type: RemoteObject['detail']['type'],
  id: string,
): Promise<RemoteObject> {
  const found = await remoteObjects.find(caller.keyId, id.slice(0, 128))
  const isThere = found !== undefined && found.detail.type === type && found.expiresAtMs > clock.nowMs()
  if (!isThere || !permits(caller.permission, found.publicName)) throw objectNotFound(type, id)
  recordModel(found.publicName)
  return found
}

export function objectNotFound(type: RemoteObject['detail']['type'], id: string): GatewayError {
  const shown = JSON.stringify(id.slice(0, 128))
  return new GatewayError('object_not_found', {
    message: `This key has no ${type} ${shown}: it was never there, was deleted, or has expired.`,
  })
}

/** The channel that stores an object. Throws `object_not_found` where the configuration no longer has it. */
export function ownerOf(object: RemoteObject, dependencies: ObjectDependencies): FoundOwner {
  const owner = findResponseOwner({ owner: object }, dependencies)
  if (owner === undefined) throw objectNotFound(object.detail.type, object.id)
  return owner
}
