import type { KeyObject } from 'node:crypto'
import { GatewayError } from '../canonical/failure.ts'
import type { Clock } from '../kit/time/clock.ts'
import { type AddressList, createAddressList } from './address-list.ts'
import type { Authenticator, CredentialSource } from './authenticate.ts'
import { describeCaller } from './describe-caller.ts'
import { digestSecretHash, hashSecret } from './digest-secret.ts'
import type { Group } from './group.ts'
import type { Caller, Key, KeyDigest } from './key.ts'
import { isWholeSecret, secretPrefix } from './make-secret.ts'

/** Every key in memory, so that a request is checked without waiting. Follows the store: first durable, then here. */
export interface KeyRegistry extends Authenticator {
  /** Takes over a key that was made or changed; counts from the next request on. */
  put(key: Key): void
  /** Takes over the groups of another configuration, from the next request on. */
  changeGroups(groups: readonly Group[]): void
  keys(): readonly Key[]
}

interface Entry {
  readonly key: Key
  readonly caller: Caller
  readonly allowed: AddressList | undefined
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
  readonly groups?: readonly Group[]
  readonly pepper: KeyObject
  readonly clock: Clock
}

export function createKeyRegistry({ keys, groups = [], pepper, clock }: KeyRegistryOptions): KeyRegistry {
  let groupsByName = byName(groups)
  const entries = new Map(keys.map((key) => [key.digest, createEntry(key, groupsByName)]))
  const finder = new EntryFinder(entries, pepper)
  return {
    put: (key) => void entries.set(key.digest, createEntry(key, groupsByName)),
    changeGroups(next) {
      groupsByName = byName(next)
      for (const [digest, { key }] of entries) entries.set(digest, createEntry(key, groupsByName))
    },
    keys: () => [...entries.values()].map(({ key }) => key),
    authenticate(source) {
      const secrets = extractCredentials(source)
      const nowMs = clock.nowMs()
      const entry = chooseEntry(
        secrets.map((secret) => judgeEntry(secret, finder.find(secret, source.connection), nowMs)),
      )
      if (entry.allowed?.includes(source.address) === false) {
        throw refusal('ip_not_allowed', `key "${entry.key.name}" may not be used from ${source.address}`)
      }
      return entry.caller
    },
  }
}

/** Finds the entry of a secret, and remembers what spares work the next time. */
class EntryFinder {
  readonly #entries: ReadonlyMap<KeyDigest, Entry>
  readonly #pepper: KeyObject
  // SHA-256 of a secret to its digest, which spares the HMAC. Only digests of keys that exist are remembered, so
  // guesses cannot make it grow.
  readonly #digests = new Map<string, KeyDigest>()
  // The secret that a connection last proved to know, for as long as it is open: to hash it costs a tenth of all that
  // happens before the call upstream.
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

function byName(groups: readonly Group[]): ReadonlyMap<string, Group> {
  return new Map(groups.map((group) => [group.name, group]))
}

function createEntry(key: Key, groups: ReadonlyMap<string, Group>): Entry {
  const { allowIps } = key
  return {
    key,
    caller: describeCaller(key, groups),
    allowed: allowIps.length === 0 ? undefined : createAddressList(allowIps),
  }
}

function judgeEntry(secret: string, entry: Entry | undefined, nowMs: number): Finding {
  if (entry === undefined) return { type: 'refused', reason: whyUnknown(secret) }
  const { name, revokedAtMs, disabled, expiresAtMs } = entry.key
  if (revokedAtMs !== undefined) return { type: 'refused', reason: `key "${name}" is revoked` }
  if (disabled) return { type: 'refused', reason: `key "${name}" is disabled` }
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs)
    return { type: 'refused', reason: `key "${name}" has expired` }
  return { type: 'valid', entry }
}

function whyUnknown(secret: string): string {
  if (!secret.startsWith(secretPrefix) || isWholeSecret(secret)) return 'the key is unknown'
  return 'the key is mistyped or cut off: its checksum does not fit'
}

// Two secrets never share a key, so two valid findings are two different keys.
function chooseEntry(findings: readonly Finding[]): Entry {
  let chosen: Entry | undefined
  for (const finding of findings) {
    if (finding.type === 'refused') continue
    if (chosen !== undefined) {
      throw refusal('conflicting_api_keys', `keys "${chosen.key.name}" and "${finding.entry.key.name}"`)
    }
    chosen = finding.entry
  }
  if (chosen !== undefined) return chosen
  if (findings.length === 0) throw new GatewayError('missing_api_key')
  const reasons = findings.flatMap((finding) => (finding.type === 'refused' ? [finding.reason] : []))
  throw refusal('invalid_api_key', reasons.join('; '))
}

/** The caller reads the same message for every reason; the log has the cause. */
function refusal(
  code: 'invalid_api_key' | 'conflicting_api_keys' | 'ip_not_allowed',
  reason: string,
): GatewayError {
  return new GatewayError(code, {}, { cause: new Error(reason) })
}

/** More than any client sends; bounds what one request can make us look up. */
const MOST_CANDIDATES = 8
const BEARER = /^bearer(?:\s+|$)/i

/**
 * The secrets that a request offers, without repeats, in the order `Authorization` (Bearer or bare), `x-api-key`,
 * `x-goog-api-key`, `?key=`. A header sent several times, which HTTP may join with commas, offers the whole value, as
 * a chosen key may hold a comma, and its parts.
 */
function extractCredentials({ headers, queryKey }: CredentialSource): readonly string[] {
  const candidates: string[] = []
  for (const value of valuesOf(headers['authorization'])) addCandidate(candidates, withoutScheme(value))
  for (const value of valuesOf(headers['x-api-key'])) addCandidate(candidates, value)
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
  // Nearly every client writes it so.
  if (value.startsWith('Bearer ')) return value.slice('Bearer '.length)
  return value.trim().replace(BEARER, '')
}

function addCandidate(candidates: string[], value: string): void {
  const secret = value.trim()
  if (secret === '' || candidates.length >= MOST_CANDIDATES || candidates.includes(secret)) return
  candidates.push(secret)
}

/** Whether two secrets are equal, in a time that tells nothing of where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let index = 0; index < one.length; index += 1) {
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  }
  return difference === 0
}
