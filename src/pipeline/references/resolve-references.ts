import type { KeyId } from '../../access/key.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { Route } from '../../catalog/catalog.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import { quoteText } from '../../kit/json/json.ts'
import { replaceSpans, type SpanChange } from '../../kit/json/json-spans.ts'
import { isObjectId } from '../../kit/random/ids.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { RemoteObject, RemoteObjectStore } from '../../stored-answers/remote-object.ts'
import type { NamedObject } from '../../wire/verbatim/named-object.ts'
import type { Holder, OperationRequest, Renaming } from '../exchange/caller-request.ts'
import { joined } from './find-references.ts'

export interface ReferenceDependencies {
  readonly remoteObjects: Pick<RemoteObjectStore, 'find' | 'findStored'>
  readonly clock: Pick<Clock, 'nowMs'>
}

/** The maximum number of objects that a request may name. */
const MAX_OBJECTS = 1_000

/** The objects that the requests of a key name, collected while they are looked up. */
export class ReferredObjects {
  readonly #keyId: KeyId
  readonly #dependencies: ReferenceDependencies
  readonly #found = new Map<string, RemoteObject | 'unknown'>()
  #first: RemoteObject | undefined

  constructor(keyId: KeyId, dependencies: ReferenceDependencies) {
    this.#keyId = keyId
    this.#dependencies = dependencies
  }

  /** The holder of all objects that were found; undefined where none was found. */
  get holder(): Holder | undefined {
    const first = this.#first
    if (first === undefined) return undefined
    const renamings = [...this.#found.values()].flatMap((object) =>
      object === 'unknown' ? [] : [renamingOf(object)],
    )
    return { channelName: first.channelName, credentialId: first.credentialId, renamings }
  }

  /**
   * Looks up the named objects. Rejects with `object_not_found` for an object that does not belong to the key, unless
   * `mayPass` allows its name to be passed on, and with `invalid_field` if two objects are in different accounts.
   */
  async find(named: readonly NamedObject[], mayPass: (object: NamedObject) => boolean): Promise<void> {
    for (const each of named) {
      const known = this.#found.get(each.id) ?? (await this.#look(each))
      this.#found.set(each.id, known)
      if (known === 'unknown' && !mayPass(each)) throw notFound(each)
      if (this.#found.size > MAX_OBJECTS) throw tooManyObjects()
    }
  }

  /** The bytes with the gateway's names replaced by the provider's names. */
  rename(bytes: Buffer, named: readonly NamedObject[]): Buffer {
    return replaceSpans(bytes, this.changesOf(named))
  }

  /** The changes that replace the gateway's names with the provider's names. */
  changesOf(named: readonly NamedObject[]): readonly SpanChange[] {
    return named.flatMap(({ id, start, end }) => {
      const object = this.#found.get(id)
      if (object === undefined || object === 'unknown') return []
      return [{ start, end, bytes: Buffer.from(quoteText(theirNameOf(object))) }]
    })
  }

  async #look({ id, type }: NamedObject): Promise<RemoteObject | 'unknown'> {
    // Only the gateway's own names are looked up, since a request may hold a thousand others.
    if (!isObjectId(id)) return 'unknown'
    const { remoteObjects, clock } = this.#dependencies
    const object = await remoteObjects.find(this.#keyId, id)
    if (object?.detail.type !== type || object.expiresAtMs <= clock.nowMs()) return 'unknown'
    this.#first ??= object
    const { channelName, credentialId } = this.#first
    if (object.channelName === channelName && object.credentialId === credentialId) return object
    throw new GatewayError('invalid_field', {
      message: `${JSON.stringify(this.#first.id)} and ${JSON.stringify(id)} are stored in different accounts of providers, so that no request can use both. Upload one of them again.`,
    })
  }
}

/** The name by which requests to its provider name an object. */
function theirNameOf({ detail, providerId }: RemoteObject): string {
  return (detail.type === 'gemini-file' ? detail.uri : undefined) ?? providerId
}

/** The renaming of an object. Errors name a file only by the last part of its name. */
function renamingOf({ providerId, id }: RemoteObject): Renaming {
  return { theirs: providerId.slice(providerId.lastIndexOf('/') + 1), ours: id }
}

function notFound({ written }: NamedObject): GatewayError {
  return new GatewayError('object_not_found', {
    message: `This key has no object ${JSON.stringify(written.slice(0, 256))}: it was never there, was deleted, has expired, or was not uploaded through this gateway.`,
  })
}

/** The fields that an operator may allow to name objects that were not stored through this gateway. */
const foreignFields = {
  'message-file': 'file_id',
  'gemini-file': 'file_uri',
  'cached-content': 'cached_content',
} as const

/** The prefix of the providers' names of each type of object; empty where the provider uses none. */
const collections = {
  'message-file': '',
  'gemini-file': 'files/',
  'cached-content': 'cachedContents/',
} as const

/**
 * Replaces the names in a request's body with the provider's names. The name of an object that was never stored through
 * this gateway is passed on unchanged. Rejects with `object_not_found` for an object of another key, by either name,
 * and for a gateway's name that does not belong to the key, unless a channel of the route allows such a field.
 */
export async function resolveReferences(
  request: OperationRequest,
  named: readonly NamedObject[],
  { targets, remoteObjects, clock }: ReferenceDependencies & Pick<Route, 'targets'>,
): Promise<OperationRequest> {
  const objects = new ReferredObjects(request.caller.keyId, { remoteObjects, clock })
  const stored = await findStored(named, remoteObjects)
  let foreignField: string | undefined
  await objects.find(named, (object) => {
    const { type, id } = object
    if (!isObjectId(id) && !stored.has(providerNameOf(object))) return true
    const field = foreignFields[type]
    if (!targets.some(({ channel }) => channel.allowFields.has(field))) return false
    foreignField = field
    return true
  })
  const { holder } = objects
  const body =
    holder === undefined ? request.body : BodyBytes.from([objects.rename(joined(request.body), named)])
  return { ...request, body, holder, foreignField }
}

/** The form of names that a provider may have given. Longer names and other characters are not looked up. */
const PROVIDER_NAME = /^[\x21-\x7e]{1,256}$/

/** The names in the request, in the provider's form, of objects that any key has stored here. */
async function findStored(
  named: readonly NamedObject[],
  remoteObjects: Pick<RemoteObjectStore, 'findStored'>,
): Promise<ReadonlySet<string>> {
  const foreign = named.filter(({ id }) => !isObjectId(id))
  const theirs = new Set(foreign.map(providerNameOf).filter((name) => PROVIDER_NAME.test(name)))
  if (theirs.size > MAX_OBJECTS) throw tooManyObjects()
  return new Set(theirs.size === 0 ? [] : await remoteObjects.findStored([...theirs]))
}

function providerNameOf({ type, id }: NamedObject): string {
  return collections[type] + id
}

function tooManyObjects(): GatewayError {
  return new GatewayError('invalid_field', { message: `The request names more than ${MAX_OBJECTS} files.` })
}
