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
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import type { CallerConnection } from '../response/caller-connection.ts'
import type { ResponseWriter } from '../response/response-writer.ts'
import { sendWhole } from '../response/send-whole.ts'
import { findAccount, findServingOwner } from '../retrieval/ask-response-owner.ts'
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

/** One request for a file or a batch, with everything that its steps use. */
export interface ObjectCall extends ObjectDependencies {
  readonly request: ObjectRequest
  readonly writer: ResponseWriter
  readonly callerConnection: CallerConnection
  readonly attempts: AttemptLog
  /** Records the public name of the model in the request's row. */
  recordModel(publicName: string): void
}

/** Sends a whole answer. A caller that has disconnected gets none, although the provider did what was asked. */
export function sendObject(
  call: ObjectCall,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): ExchangeOutcome {
  return sendWhole(call, { status: 200, headers, body })
}

/** The timeout of small answers. */
export const SMALL_ANSWER_MS = MINUTE_MS

/**
 * Finds an object of the request's key. Rejects with the same error for an object of another key and for one that does
 * not exist.
 */
export async function findObject(
  { request: { caller }, remoteObjects, clock, recordModel }: ObjectCall,
  type: RemoteObject['detail']['type'],
  id: string,
): Promise<RemoteObject> {
  const found = await remoteObjects.find(caller.keyId, id.slice(0, 128))
  const isThere = found !== undefined && found.detail.type === type && found.expiresAtMs > clock.nowMs()
  if (!isThere || !modelsOf(found).every((name) => permits(caller.permission, name)))
    throw objectNotFound(type, id)
  if (found.publicName !== '') recordModel(found.publicName)
  return found
}

/** The models that a key must be granted to access an object. */
function modelsOf({ detail, publicName }: RemoteObject): readonly string[] {
  if (detail.type === 'message-batch') return detail.parts.map((part) => part.publicName)
  return publicName === '' ? [] : [publicName]
}

const shownTypes = {
  file: 'file',
  batch: 'batch',
  'message-batch': 'batch',
  'message-file': 'file',
  'gemini-file': 'file',
  'gemini-upload': 'upload',
  'cached-content': 'cached content',
} as const

function objectNotFound(type: RemoteObject['detail']['type'], id: string): GatewayError {
  const shown = JSON.stringify(id.slice(0, 128))
  return new GatewayError('object_not_found', {
    message: `This key has no ${shownTypes[type]} ${shown}: it was never there, was deleted, or has expired.`,
  })
}

/**
 * The channel that stores an object. Throws `no_channel` while the channel or its credential is disabled or not in the
 * configuration: the provider goes on storing the object.
 */
export function ownerOf(object: RemoteObject, dependencies: ObjectDependencies): FoundOwner {
  const owner = findServingOwner(object, dependencies) ?? findAccount(object, dependencies)
  if (owner === undefined) throw ownerMissing(object)
  return owner
}

function ownerMissing({ detail, id }: RemoteObject): GatewayError {
  return new GatewayError('no_channel', {
    message: `The ${shownTypes[detail.type]} ${JSON.stringify(id)} cannot be reached: the channel or the credential that stores it is disabled, or is not in the configuration. Ask the operator of this gateway.`,
  })
}
