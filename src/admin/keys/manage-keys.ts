import { describeTerms } from '../../access/describe-terms.ts'
import type { Key } from '../../access/key.ts'
import type { KeyRegistry } from '../../access/key-registry.ts'
import { keySchema } from '../../access/key-schema.ts'
import type { KeyStore } from '../../access/key-store.ts'
import { writeBudget, writeRate } from '../../access/limits/write-limits.ts'
import { type KeyMaker, makeKey } from '../../access/make-key.ts'
import { hintOf, makeSecret } from '../../access/make-secret.ts'
import { writeGrant } from '../../access/permission.ts'
import type { Actor } from '../../canonical/audit.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { createMutex, type Mutex } from '../../kit/values/create-mutex.ts'
import type { CreatedKey, CreateKey, KeyOperations, KeyView } from '../contract.ts'
import { readInput } from '../read-input.ts'
import { isStoreFault, notStored, UnstoredKeys } from './unstored-keys.ts'

export interface KeyOperationOptions {
  readonly store: KeyStore
  readonly registry: KeyRegistry
  readonly maker: KeyMaker
  /** The default author of a change. */
  readonly actor: Actor
}

/** The operations of the process that makes the secrets itself. */
export interface OwnKeyOperations extends KeyOperations {
  /** `handOver` gets the secret before the key is stored. Where it fails, there is no key. */
  create(input: CreateKey, by?: Actor, handOver?: (secret: string) => void): Promise<CreatedKey>
}

/**
 * The operations on keys, over the store and the keys in memory: a change is durable first, then it counts. What takes a
 * key out of use counts at once even where it cannot be stored.
 */
export function createKeyOperations(options: KeyOperationOptions): OwnKeyOperations {
  const { store, actor, registry } = options
  const { clock } = options.maker
  const mutex = createMutex()
  const unstored = new UnstoredKeys({ registry, clock, mutex })
  const change = createKeyChanger(options, unstored, mutex)
  return {
    async list({ includeRevoked }) {
      const keys = unstored.overlay(await store.list())
      const shown = keys.filter((key) => includeRevoked || key.revokedAtMs === undefined)
      return { data: shown.map((key) => viewKey(key, clock.nowMs())) }
    },
    create: (input, by = actor, handOver) => createKey({ input, by, handOver }, options),
    get: async (reference) =>
      viewKey(findKey(unstored.overlay(await store.list()), reference), clock.nowMs()),
    setDisabled: (reference, disabled, by = actor) =>
      change(reference, (key) => {
        const { id, name, revokedAtMs } = key
        const action = disabled ? 'key.disable' : 'key.enable'
        const details = [`name: ${name}`]
        const record = { ...by, action, subject: id, details, atMs: clock.nowMs() } as const
        return {
          async store() {
            if (revokedAtMs === undefined && (await store.setDisabled(id, disabled, record))) return
            const message = `Key "${name}" is revoked, which cannot be undone. Make a new key.`
            throw new GatewayError('key_not_found', { message })
          },
          restricted: disabled && revokedAtMs === undefined ? { ...key, disabled } : undefined,
        }
      }),
    revoke: (reference, by = actor) =>
      change(reference, (key) => {
        const { id, name } = key
        const atMs = key.revokedAtMs ?? clock.nowMs()
        const record = { ...by, action: 'key.revoke', subject: id, details: [`name: ${name}`], atMs } as const
        return { store: () => store.revoke(id, record), restricted: { ...key, revokedAtMs: atMs } }
      }),
  }
}

interface KeyRequest {
  readonly input: CreateKey
  readonly by: Actor
  readonly handOver: ((secret: string) => void) | undefined
}

async function createKey(
  { input, by, handOver }: KeyRequest,
  { store, registry, maker }: KeyOperationOptions,
): Promise<CreatedKey> {
  const secret = makeSecret(maker.random)
  const terms = readInput(keySchema, { ...input, secret })
  if (terms.expiresAtMs !== undefined && terms.expiresAtMs <= maker.clock.nowMs()) {
    throw new GatewayError('invalid_field', { param: 'expires_at', message: '"expires_at": is in the past.' })
  }
  const key = makeKey({ terms, secret, hint: hintOf(secret), origin: 'made' }, maker)
  const [subject, details] = [key.id, describeTerms(key)]
  handOver?.(secret)
  await store.insert(key, { ...by, action: 'key.create', subject, details, atMs: maker.clock.nowMs() })
  registry.put(key)
  return { ...viewKey(key, maker.clock.nowMs()), secret }
}

interface KeyChange {
  store(): Promise<unknown>
  /** The key as it is afterwards, where the change takes it out of use. */
  readonly restricted: Key | undefined
}

type KeyChanger = (reference: string, plan: (key: Key) => KeyChange) => Promise<KeyView>

/** Changes go one after the other, so that the key in memory is never older than the stored one. */
function createKeyChanger(
  { store, registry, maker }: KeyOperationOptions,
  unstored: UnstoredKeys,
  mutex: Mutex,
): KeyChanger {
  return async (reference, plan) => {
    const release = await mutex.acquire()
    try {
      const stored = await store.list().catch((error: unknown) => {
        if (isStoreFault(error)) return registry.keys()
        throw error
      })
      const key = findKey(unstored.overlay(stored), reference)
      if (key.origin === 'bootstrap') throw new GatewayError('key_in_file')
      const change = plan(key)
      await change.store().catch((error: unknown) => {
        if (change.restricted === undefined || !isStoreFault(error)) throw error
        unstored.add({ key: change.restricted, store: change.store })
        throw notStored(change.restricted.revokedAtMs === undefined ? 'disabled' : 'revoked', key, error)
      })
      unstored.delete(key.id)
      const changed = (await store.findByDigest(key.digest)) ?? key
      registry.put(changed)
      return viewKey(changed, maker.clock.nowMs())
    } finally {
      release()
    }
  }
}

function findKey(keys: readonly Key[], reference: string): Key {
  const isNamed = ({ name, revokedAtMs }: Key): boolean => name === reference && revokedAtMs === undefined
  const key = keys.find(({ id }) => id === reference) ?? keys.find(isNamed)
  if (key === undefined) throw new GatewayError('key_not_found')
  return key
}

/** What anyone may see of a key: never its secret or digest. */
function viewKey(key: Key, nowMs: number): KeyView {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    models: [...writeGrant(key.permission)],
    user: key.user ?? null,
    group: key.group ?? null,
    dry_run: key.dryRun,
    allow_ips: [...key.allowIps],
    expires_at: writeTime(key.expiresAtMs),
    status: statusOf(key, nowMs),
    revoked_at: writeTime(key.revokedAtMs),
    created_at: new Date(key.createdAtMs).toISOString(),
    budgets: key.budgets.map(writeBudget),
    rate: key.rate === undefined ? null : writeRate(key.rate),
    tags: { ...key.tags },
    caller_tags: key.callerTags,
    end_user_budget: key.endUserBudget === undefined ? null : writeBudget(key.endUserBudget),
    origin: key.origin,
  }
}

function statusOf({ revokedAtMs, disabled, expiresAtMs }: Key, nowMs: number): KeyView['status'] {
  if (revokedAtMs !== undefined) return 'revoked'
  if (disabled) return 'disabled'
  return expiresAtMs !== undefined && expiresAtMs <= nowMs ? 'expired' : 'active'
}

function writeTime(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString()
}

const firstStart = { author: 'first start', address: '' } as const

/**
 * Where no key was ever made or given by the file, makes one that may use every model, so that a newcomer has something
 * to call with. Its secret is handed over first: a process that ends in between leaves no key, and the next start makes
 * another, while a key whose secret is lost could never be used.
 */
export async function makeFirstKey(
  keys: Pick<OwnKeyOperations, 'list' | 'create'>,
  handOver: (secret: string) => void,
): Promise<CreatedKey | undefined> {
  const { data } = await keys.list({ includeRevoked: true })
  if (data.length > 0) return undefined
  return keys.create({ name: 'default', models: ['*'] }, firstStart, handOver)
}
