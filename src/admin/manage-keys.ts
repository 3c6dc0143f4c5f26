import { describeTerms } from '../access/describe-terms.ts'
import type { Key } from '../access/key.ts'
import type { KeyRegistry } from '../access/key-registry.ts'
import { keySchema } from '../access/key-schema.ts'
import type { KeyStore } from '../access/key-store.ts'
import { type KeyMaker, makeKey } from '../access/make-key.ts'
import { hintOf, makeSecret } from '../access/make-secret.ts'
import type { Actor } from '../canonical/audit.ts'
import { GatewayError } from '../canonical/failure.ts'
import { createMutex } from '../kit/create-mutex.ts'
import type { CreatedKey, CreateKey, KeyOperations, KeyView } from './contract.ts'
import { viewKey } from './key-view.ts'
import { readInput } from './read-input.ts'

export interface KeyOperationParts {
  readonly store: KeyStore
  readonly registry: KeyRegistry
  readonly maker: KeyMaker
  /** Who is noted for a change of which nobody else is named. */
  readonly actor: Actor
}

/** The operations of the process that makes the secrets itself. */
export interface OwnKeyOperations extends KeyOperations {
  /** `handOver` gets the secret before the key is stored. Where it fails, there is no key. */
  create(input: CreateKey, by?: Actor, handOver?: (secret: string) => void): Promise<CreatedKey>
}

/** The operations on keys, over the store and the keys in memory: a change is durable first, then it counts. */
export function createKeyOperations(parts: KeyOperationParts): OwnKeyOperations {
  const { store, actor } = parts
  const { clock } = parts.maker
  const change = createKeyChanger(parts)
  return {
    async list({ includeRevoked }) {
      const keys = await store.list()
      const shown = keys.filter((key) => includeRevoked || key.revokedAtMs === undefined)
      return { data: shown.map((key) => viewKey(key, clock.nowMs())) }
    },
    create: (input, by = actor, handOver) => createKey({ input, by, handOver }, parts),
    get: async (reference) => viewKey(await findKey(store, reference), clock.nowMs()),
    setDisabled: (reference, disabled, by = actor) =>
      change(reference, async ({ id, name }) => {
        const action = disabled ? 'key.disable' : 'key.enable'
        const record = {
          ...by,
          action,
          subject: id,
          details: [`name: ${name}`],
          atMs: clock.nowMs(),
        } as const
        if (await store.setDisabled(id, disabled, record)) return
        const message = `Key "${name}" is revoked, which cannot be undone. Make a new key.`
        throw new GatewayError('key_not_found', { message })
      }),
    revoke: (reference, by = actor) =>
      change(reference, async ({ id, name }) => {
        const details = [`name: ${name}`]
        await store.revoke(id, { ...by, action: 'key.revoke', subject: id, details, atMs: clock.nowMs() })
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
  { store, registry, maker }: KeyOperationParts,
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

type KeyChanger = (reference: string, apply: (key: Key) => Promise<void>) => Promise<KeyView>

/** Changes go one after the other, so that the key in memory is never older than the stored one. */
function createKeyChanger({ store, registry, maker }: KeyOperationParts): KeyChanger {
  const mutex = createMutex()
  return async (reference, apply) => {
    const release = await mutex.acquire()
    try {
      const key = await findKey(store, reference)
      if (key.origin === 'bootstrap') throw new GatewayError('key_in_file')
      await apply(key)
      const changed = (await store.findByDigest(key.digest)) ?? key
      registry.put(changed)
      return viewKey(changed, maker.clock.nowMs())
    } finally {
      release()
    }
  }
}

async function findKey(store: KeyStore, reference: string): Promise<Key> {
  const keys = await store.list()
  const isNamed = ({ name, revokedAtMs }: Key): boolean => name === reference && revokedAtMs === undefined
  const key = keys.find(({ id }) => id === reference) ?? keys.find(isNamed)
  if (key === undefined) throw new GatewayError('key_not_found')
  return key
}
