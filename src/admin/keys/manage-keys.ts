import { describeTerms } from '../../access/describe-terms.ts'
import { digestSecret } from '../../access/digest-secret.ts'
import type { Key, KeyId } from '../../access/key.ts'
import type { KeyRegistry } from '../../access/key-registry.ts'
import { type KeyQuery, type KeyStore, keySorts } from '../../access/key-store.ts'
import type { KeyWarning } from '../../access/key-warning.ts'
import { type KeyMaker, makeKey } from '../../access/make-key.ts'
import { hintOf, makeSecret } from '../../access/make-secret.ts'
import type { Actor } from '../../canonical/audit.ts'
import { failureOf, GatewayError } from '../../canonical/failure.ts'
import { writeDollars } from '../../canonical/money.ts'
import type { OwnedBy } from '../../canonical/owned-by.ts'
import type { CaptureMode } from '../../capture/capture-schema.ts'
import { createMutex, type Mutex } from '../../kit/async/create-mutex.ts'
import type { Effects } from '../effects/effect-contract.ts'
import { readListCursor, readSort, writeNextAfter } from '../paging/list-cursor.ts'
import { DEFAULT_PAGE_ROWS } from '../paging/page-fields.ts'
import { readInput } from '../read-input.ts'
import {
  type CreatedKey,
  type CreateKey,
  type KeyOperations,
  type KeyOperationsByReader,
  type KeyView,
  type ListKeys,
  listKeysSchema,
} from './key-contract.ts'
import { rotateKeySchema } from './key-input-schema.ts'
import { type KeyChange, planChange, planRevocation, planRotation } from './plan-key-change.ts'
import { limitsNewKeys, readKeyChange, readKeyOrder } from './read-key-input.ts'
import { isStoreFault, notStored, UnstoredKeys } from './unstored-keys.ts'
import { type ShownWarning, showToOperator, showToOwner, viewKey } from './view-key.ts'

export interface KeyOperationOptions {
  readonly store: KeyStore
  readonly registry: KeyRegistry
  readonly maker: KeyMaker
  /** The default author of a change. */
  readonly actor: Actor
  /** The terms of a key that have no effect. Undefined if the configuration is not known. */
  readonly warningsOf?: (key: Key) => readonly KeyWarning[]
  /** The capture mode of a key's requests. `off` if this is absent. */
  readonly captureOf?: (key: Key) => CaptureMode
  readonly readCosts?: ReadKeyCosts
  readonly previewChange: PreviewKeyChange
}

/** Returns the effects of other terms for a key. */
export type PreviewKeyChange = (before: Key, after: Key) => Promise<Effects>

/**
 * Reads the providers' costs for the requests of these keys since the start of the month, by key ID. Undefined if the
 * costs are not known.
 */
export type ReadKeyCosts = (keyIds: readonly KeyId[]) => Promise<ReadonlyMap<string, bigint> | undefined>

/** The operations in the process that generates the secrets itself. */
export interface OwnKeyOperations extends KeyOperationsByReader {
  /** Whether any key was ever created here or given by the file, including revoked keys. */
  hasAny(): Promise<boolean>
  /** `handOver` gets the secret before the key is stored. If it fails, no key is created. */
  create(input: CreateKey, by?: Actor, handOver?: (secret: string) => void): Promise<CreatedKey>
  /** Loads the changes of other nodes into memory. Changes that could not be stored yet stay in force. */
  reload(): Promise<void>
  /** Stops pending retries before the store is closed. */
  close(): void
}

interface QueryContext {
  readonly ownedBy: OwnedBy | undefined
  readonly nowMs: number
}

/**
 * The operations on keys, over the store and the keys in memory. A change is durable before it takes effect.
 * Disabling or revoking a key takes effect at once even if it cannot be stored.
 */
export function createKeyOperations(options: KeyOperationOptions): OwnKeyOperations {
  const { store, actor, registry } = options
  const mutex = createMutex()
  const unstored = new UnstoredKeys({ registry, clock: options.maker.clock, mutex })
  const parts = { unstored, changeKey: createKeyChanger(options, unstored, mutex) }
  const view = createKeyViewer(options, showToOperator)
  const forOperators = operationsWith(view, parts, options)
  return {
    ...forOperators,
    forOwners: operationsWith(createKeyViewer(options, showToOwner), parts, options),
    limitsNewKeys: (group) => limitsNewKeys(group, registry.groups()),
    hasAny: () => store.hasAny(),
    create: (input, by = actor, handOver) => createKey({ input, by, handOver }, options, view),
    reload: async () => reloadKeys(registry, unstored.overlay(await store.list())),
    close: () => unstored.close(),
  }
}

/** Updates the registry with the keys that differ from its own. */
function reloadKeys(registry: KeyRegistry, keys: readonly Key[]): void {
  const known = new Map(registry.keys().map((key) => [key.id, JSON.stringify(key)]))
  for (const key of keys) if (known.get(key.id) !== JSON.stringify(key)) registry.put(key)
}

interface KeyParts {
  readonly unstored: UnstoredKeys
  readonly changeKey: KeyChanger
}

/** The operations whose views are written for one kind of reader. */
function operationsWith(
  view: KeyViewer,
  { unstored, changeKey }: KeyParts,
  options: KeyOperationOptions,
): KeyOperations {
  const { store, actor, registry } = options
  const { clock } = options.maker
  return {
    async list(query, ownedBy) {
      const page = await store.page(readKeyQuery(query, { ownedBy, nowMs: clock.nowMs() }))
      const shown = unstored.overlay(page.keys)
      const costs = await options.readCosts?.(shown.map(({ id }) => id))
      const data = shown.map((key) => ({ ...view(key), cost_this_month_usd: viewCost(key, costs) }))
      return { data, next_after: writeNextAfter(page.next) }
    },
    create: (input, by = actor) => createKey({ input, by }, options, view),
    createWithinLife: (input, by = actor) => createKey({ input, by, isWithinLife: true }, options, view),
    async get(reference) {
      const found = await store.find(reference)
      const [key] = found === undefined ? [] : unstored.overlay([found])
      if (key === undefined) throw new GatewayError('key_not_found')
      return view(key)
    },
    async change(reference, input, by = actor) {
      const terms = readKeyChange(input, { groups: registry.groups(), nowMs: clock.nowMs() })
      return view(await changeKey(reference, (key) => planChange(key, terms, { store, by, clock })))
    },
    async preview(reference, input) {
      const terms = readKeyChange(input, { groups: registry.groups(), nowMs: clock.nowMs() })
      const key = findKey(registry.keys(), reference)
      if (key === undefined) throw new GatewayError('key_not_found')
      return options.previewChange(key, { ...key, ...terms })
    },
    async rotate(reference, input, by = actor) {
      const secret = makeSecret(options.maker.random)
      const { overlap } = readInput(rotateKeySchema, input)
      const order = {
        digest: digestSecret(secret, options.maker.pepper),
        hint: hintOf(secret),
        overlapMs: overlap,
      }
      const key = await changeKey(reference, (each) => planRotation(each, order, { store, by, clock }))
      return { ...view(key), secret }
    },
    revoke: async (reference, by = actor) =>
      view(await changeKey(reference, (key) => planRevocation(key, { store, by, clock }))),
  }
}

function viewCost({ id }: Key, costs: ReadonlyMap<string, bigint> | undefined): number | null {
  return costs === undefined ? null : Number(writeDollars(costs.get(id) ?? 0n))
}

type KeyViewer = (key: Key) => KeyView

function createKeyViewer(
  { registry, maker, warningsOf, captureOf }: KeyOperationOptions,
  show: (warning: KeyWarning) => ShownWarning,
): KeyViewer {
  return (key) => {
    const nowMs = maker.clock.nowMs()
    const lastUsedMs = registry.uses.lastMs(key.id)
    const warnings = (warningsOf?.(key) ?? []).map(show)
    const capture = captureOf?.(key) ?? 'off'
    return viewKey(key, { nowMs, lastUsedMs, capture, warnings })
  }
}

interface KeyRequest {
  readonly input: CreateKey
  readonly by: Actor
  readonly handOver?: ((secret: string) => void) | undefined
  readonly isWithinLife?: boolean
}

async function createKey(
  { input, by, handOver, isWithinLife = false }: KeyRequest,
  { store, registry, maker }: KeyOperationOptions,
  view: KeyViewer,
): Promise<CreatedKey> {
  const secret = makeSecret(maker.random)
  const terms = readKeyOrder(input, { groups: registry.groups(), nowMs: maker.clock.nowMs(), isWithinLife })
  const key = makeKey({ terms, secret, hint: hintOf(secret), origin: 'made' }, maker)
  const [subject, details] = [key.id, describeTerms(key)]
  handOver?.(secret)
  await store.insert(key, { ...by, action: 'key.create', subject, details, atMs: maker.clock.nowMs() })
  registry.put(key)
  return { ...view(key), secret }
}

type KeyChanger = (reference: string, plan: (key: Key) => KeyChange) => Promise<Key>

/** Changes run one after another, so that the key in memory is never older than the stored one. */
function createKeyChanger(
  { store, registry }: KeyOperationOptions,
  unstored: UnstoredKeys,
  mutex: Mutex,
): KeyChanger {
  return (reference, plan) =>
    mutex.run(async () => {
      const stored = await store.find(reference).catch((error: unknown) => {
        if (isStoreFault(error)) return findKey(registry.keys(), reference)
        throw error
      })
      const [key] = stored === undefined ? [] : unstored.overlay([stored])
      if (key === undefined) throw new GatewayError('key_not_found')
      if (key.origin === 'bootstrap') throw new GatewayError('key_in_file')
      const change = plan(key)
      await change.store().catch((error: unknown) => {
        if (change.restricted === undefined || !isStoreFault(error)) throw error
        unstored.add({ key: change.restricted, store: change.store })
        throw notStored(change.restricted.revokedAtMs === undefined ? 'disabled' : 'revoked', key, error)
      })
      unstored.delete(key.id)
      const changed = (await store.find(key.id)) ?? key
      registry.put(changed)
      return changed
    })
}

function findKey(keys: readonly Key[], reference: string): Key | undefined {
  const isNamed = ({ name, revokedAtMs }: Key): boolean => name === reference && revokedAtMs === undefined
  return keys.find(({ id }) => id === reference) ?? keys.find(isNamed)
}

/** The destination of the first key's secret, where the operator finds it. */
export interface FirstKeyOutlet {
  write(secret: string): void
  remove(): void
}

const firstStart = { author: 'first start', credential: '', address: '' } as const

/**
 * Creates a key that may use every model if no key was ever created or given by the file, so that a new operator has
 * a key to start with. The secret is handed over before the key is stored. If the process ends in between, no key
 * exists and the next start creates another, whereas a key with a lost secret could never be used. If another node
 * creates the key at the same time, that key stays and the secret that was handed over is withdrawn.
 */
export async function makeFirstKey(
  keys: Pick<OwnKeyOperations, 'hasAny' | 'create'>,
  outlet: FirstKeyOutlet,
): Promise<CreatedKey | undefined> {
  if (await keys.hasAny()) return undefined
  try {
    return await keys.create({ name: 'default', models: ['*'] }, firstStart, outlet.write)
  } catch (error) {
    if (failureOf(error).code !== 'name_taken') throw error
    outlet.remove()
    return undefined
  }
}

function readKeyQuery(input: ListKeys, { ownedBy, nowMs }: QueryContext): KeyQuery {
  const params = readInput(listKeysSchema, input)
  const { by, descending } = readSort(params.sort, keySorts)
  return {
    search: params.q,
    user: params.user,
    group: params.group,
    status: params.status,
    includeRevoked: params.include_revoked === 'true',
    ownedBy,
    nowMs,
    sort: by,
    descending,
    after: readListCursor(params.after, by === 'name' ? 'string' : 'number'),
    limit: params.limit ?? DEFAULT_PAGE_ROWS,
  }
}
