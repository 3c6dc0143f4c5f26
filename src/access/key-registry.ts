import type { KeyObject } from 'node:crypto'
import { GatewayError } from '../canonical/failure.ts'
import { brand } from '../kit/brand.ts'
import type { Clock } from '../kit/time/clock.ts'
import { type AddressList, createAddressList } from './address-list.ts'
import type { Authenticator, CredentialSource } from './authenticator.ts'
import { describeCaller } from './describe-caller.ts'
import { digestSecretHash, hashSecret } from './digest-secret.ts'
import type { Group } from './group.ts'
import type { Caller, Key, KeyDigest, KeyId } from './key.ts'
import { KeyUses } from './key-uses.ts'
import { isWholeSecret, secretPrefix } from './make-secret.ts'

/**
 * Every key in memory, so that a request is authenticated without I/O. A change is made in the store first and here
 * after it is durable.
 */
export interface KeyRegistry extends Authenticator {
  /** Adds or replaces a key. The change applies from the next request on. */
  put(key: Key): void
  /** Replaces the groups after the configuration changed. They apply from the next request on. */
  changeGroups(groups: readonly Group[]): void
  /** Undefined if no configuration has been read. A key with a group may then use nothing. */
  groups(): ReadonlyMap<string, Group> | undefined
  keys(): readonly Key[]
  readonly uses: KeyUses
}

/** One secret of a key. */
interface Entry {
  readonly key: Key
  /** Both secrets of a key share one object. */
  readonly caller: Caller
  readonly allowed: AddressList | undefined
  /** Undefined if the secret is valid for as long as the key. */
  readonly validUntilMs: number | undefined
}

interface ProvenSecret {
  readonly secret: string
  readonly digest: KeyDigest
}

type Finding =
  | { readonly type: 'valid'; readonly entry: Entry }
  | { readonly type: 'refused'; readonly reason: string }

export interface KeyRegistryOptions {
  readonly keys: readonly Key[]
  readonly uses?: KeyUses
  readonly pepper: KeyObject
  readonly clock: Clock
}

export function createKeyRegistry(options: KeyRegistryOptions): KeyRegistry {
  const { pepper, clock, uses = new KeyUses() } = options
  const table = new KeyTable()
  for (const key of options.keys) table.put(key)
  const finder = new EntryFinder(table.entries, pepper)
  const admit = ({ key, caller, allowed }: Entry, address: string, nowMs: number): Caller => {
    if (allowed?.includes(address) === false)
      throw refusal('ip_not_allowed', `key "${key.name}" may not be used from ${address}`)
    uses.record(key.id, nowMs)
    return caller
  }
  return {
    uses,
    put: (key) => table.put(key),
    changeGroups: (groups) => table.changeGroups(groups),
    groups: () => table.groups,
    keys: () => table.keys(),
    authenticate(source) {
      const secrets = extractCredentials(source)
      const nowMs = clock.nowMs()
      const entry = chooseEntry(
        secrets.map((secret) => judgeEntry(secret, finder.find(secret, source.connection), nowMs)),
      )
      return admit(entry, source.address, nowMs)
    },
    authenticateId(keyId, address) {
      const nowMs = clock.nowMs()
      return admit(chooseEntry([judgeEntry('', table.findById(keyId), nowMs)]), address, nowMs)
    },
  }
}

const noGroups: ReadonlyMap<string, Group> = new Map()

/** Keys by the digests of their secrets. A rotated key has two secrets. */
class KeyTable {
  readonly #entries = new Map<KeyDigest, Entry>()
  readonly #keys = new Map<KeyId, Key>()
  #groups: ReadonlyMap<string, Group> | undefined

  get entries(): ReadonlyMap<KeyDigest, Entry> {
    return this.#entries
  }

  get groups(): ReadonlyMap<string, Group> | undefined {
    return this.#groups
  }

  keys(): readonly Key[] {
    return [...this.#keys.values()]
  }

  findById(keyId: string): Entry | undefined {
    const key = this.#keys.get(brand<KeyId>(keyId))
    return key === undefined ? undefined : this.#entries.get(key.digest)
  }

  changeGroups(groups: readonly Group[]): void {
    this.#groups = new Map(groups.map((group) => [group.name, group]))
    for (const key of this.#keys.values()) this.put(key)
  }

  put(key: Key): void {
    const before = this.#keys.get(key.id)
    if (before !== undefined) this.#remove(before)
    this.#keys.set(key.id, key)
    const { allowIps, previous } = key
    const caller = describeCaller(key, this.#groups ?? noGroups)
    const allowed = allowIps.length === 0 ? undefined : createAddressList(allowIps)
    if (previous !== undefined) {
      const { digest, validUntilMs } = previous
      // If another key has this secret as its current one, that entry stays.
      if (!this.#entries.has(digest)) this.#entries.set(digest, { key, caller, allowed, validUntilMs })
    }
    this.#entries.set(key.digest, { key, caller, allowed, validUntilMs: undefined })
  }

  #remove({ id, digest, previous }: Key): void {
    for (const each of [digest, ...(previous === undefined ? [] : [previous.digest])])
      if (this.#entries.get(each)?.key.id === id) this.#entries.delete(each)
  }
}

/** Finds the entry of a secret. It caches digests and proven secrets to save hashing on later requests. */
class EntryFinder {
  readonly #entries: ReadonlyMap<KeyDigest, Entry>
  readonly #pepper: KeyObject
  // Maps the SHA-256 of a secret to its digest, which saves the HMAC. Only digests of existing keys are cached, so
  // guesses cannot make the cache grow.
  readonly #digests = new Map<string, KeyDigest>()
  // The secret that an open connection last proved. It is not hashed again on the same connection (decision 0013).
  readonly #lastOf = new WeakMap<object, ProvenSecret>()

  constructor(entries: ReadonlyMap<KeyDigest, Entry>, pepper: KeyObject) {
    this.#entries = entries
    this.#pepper = pepper
  }

  find(secret: string, connection: object | undefined): Entry | undefined {
    const last = connection === undefined ? undefined : this.#lastOf.get(connection)
    if (last !== undefined && isSameSecret(last.secret, secret)) return this.#entries.get(last.digest)
    const digest = this.#findDigest(secret)
    const entry = this.#entries.get(digest)
    if (entry !== undefined && connection !== undefined) this.#lastOf.set(connection, { secret, digest })
    return entry
  }

  #findDigest(secret: string): KeyDigest {
    const secretHash = hashSecret(secret)
    const known = this.#digests.get(secretHash)
    if (known !== undefined) return known
    const digest = digestSecretHash(secretHash, this.#pepper)
    if (this.#entries.has(digest)) this.#digests.set(secretHash, digest)
    return digest
  }
}

function judgeEntry(secret: string, entry: Entry | undefined, nowMs: number): Finding {
  if (entry === undefined) return { type: 'refused', reason: whyUnknown(secret) }
  const { name, revokedAtMs, disabled, expiresAtMs } = entry.key
  if (revokedAtMs !== undefined) return { type: 'refused', reason: `key "${name}" is revoked` }
  if (disabled) return { type: 'refused', reason: `key "${name}" is disabled` }
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs)
    return { type: 'refused', reason: `key "${name}" has expired` }
  if (entry.validUntilMs !== undefined && entry.validUntilMs <= nowMs)
    return { type: 'refused', reason: `key "${name}" has another secret now` }
  return { type: 'valid', entry }
}

function whyUnknown(secret: string): string {
  if (!secret.startsWith(secretPrefix) || isWholeSecret(secret)) return 'the key is unknown'
  return 'the key is mistyped or cut off: its checksum does not fit'
}

/** A rotated key has two secrets. A request that offers both names one key, not a conflict. */
function chooseEntry(findings: readonly Finding[]): Entry {
  let chosen: Entry | undefined
  for (const finding of findings) {
    if (finding.type === 'refused') continue
    if (chosen !== undefined && chosen.key.id !== finding.entry.key.id) {
      throw refusal('conflicting_api_keys', `keys "${chosen.key.name}" and "${finding.entry.key.name}"`)
    }
    chosen = finding.entry
  }
  if (chosen !== undefined) return chosen
  if (findings.length === 0) throw new GatewayError('missing_api_key')
  const reasons = findings.flatMap((finding) => (finding.type === 'refused' ? [finding.reason] : []))
  throw refusal('invalid_api_key', reasons.join('; '))
}

/** The caller gets the same message for every reason. The cause is only in the log. */
function refusal(
  code: 'invalid_api_key' | 'conflicting_api_keys' | 'ip_not_allowed',
  reason: string,
): GatewayError {
  return new GatewayError(code, { logCause: reason })
}

/** The limit on look-ups for one request. No client sends more credentials. */
const MAX_CREDENTIALS_PER_REQUEST = 8
const BEARER = /^bearer(?:\s+|$)/i

/**
 * The secrets that a request offers, without repeats, in the order `Authorization` (Bearer or bare), `x-api-key`,
 * `api-key` (Azure's), `x-goog-api-key`, `?key=`. HTTP may join a repeated header with commas. Such a header offers
 * its parts and also the whole value, as a key that an operator chose may contain a comma.
 */
function extractCredentials({ headers, queryKey }: CredentialSource): readonly string[] {
  const candidates: string[] = []
  for (const value of valuesOf(headers['authorization'])) addCandidate(candidates, withoutScheme(value))
  for (const value of valuesOf(headers['x-api-key'])) addCandidate(candidates, value)
  for (const value of valuesOf(headers['api-key'])) addCandidate(candidates, value)
  for (const value of valuesOf(headers['x-goog-api-key'])) addCandidate(candidates, value)
  if (queryKey !== undefined) addCandidate(candidates, queryKey)
  return candidates
}

const NO_VALUES: readonly string[] = []

function valuesOf(header: string | string[] | undefined): readonly string[] {
  if (header === undefined) return NO_VALUES
  if (typeof header === 'string') return header.includes(',') ? [header, ...header.split(',')] : [header]
  return header.flatMap((value) => valuesOf(value))
}

function withoutScheme(value: string): string {
  // A fast path: nearly every client spells the scheme this way.
  if (value.startsWith('Bearer ')) return value.slice('Bearer '.length)
  return value.trim().replace(BEARER, '')
}

function addCandidate(candidates: string[], value: string): void {
  const secret = value.trim()
  if (secret === '' || candidates.length >= MAX_CREDENTIALS_PER_REQUEST || candidates.includes(secret)) return
  candidates.push(secret)
}

/** Whether two secrets are equal. The comparison takes the same time wherever they differ. */
export function isSameSecret(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let index = 0; index < one.length; index += 1) {
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  }
  return difference === 0
}
