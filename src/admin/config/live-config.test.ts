import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { noEnvironment } from '../../../test/support/no-environment.ts'
import { parseConfigValue } from '../../../test/support/parse-yaml-config.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { createCatalog } from '../../catalog/create-catalog.ts'
import type { Config } from '../../config/config.ts'
import { resolveConfig } from '../../config/resolve-config.ts'
import { createSealer } from '../../kit/bytes/seal.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { providerRegistry } from '../../providers/registry.ts'
import { type ConfigOperations, createConfigOperations } from './config-operations.ts'
import type { ConfigVersion, ConfigVersionStore } from './config-version-store.ts'
import { type LiveConfig, openLiveConfig } from './live-config.ts'

const by = { author: 'test', credential: 'session', address: '' }

function readFile(value: object): Config {
  return resolveConfig({
    parsed: parseConfigValue(value),
    source: { type: 'file', path: 'headgate.yaml' },
    files: { tls: undefined, channels: parseConfigValue(value).channels },
    environment: noEnvironment,
    outer: {},
    workingFolder: '/',
  })
}

/** Versions in memory, as a store without a disk keeps them: as text. */
function createMemoryStore(): ConfigVersionStore & { readonly rows: string[] } {
  const rows: string[] = []
  const read = (row: string | undefined): ConfigVersion | undefined =>
    row === undefined ? undefined : JSON.parse(row)
  return {
    rows,
    find: async (number) => read(rows[number - 1]),
    latest: async () => read(rows.at(-1)),
    list: async ({ before = rows.length + 1, limit }) =>
      rows
        .slice(0, before - 1)
        .reverse()
        .slice(0, limit)
        .flatMap((row) => read(row) ?? []),
    async append(version) {
      if (version.number <= rows.length) throw new GatewayError('config_version_conflict')
      rows.push(JSON.stringify(version))
    },
    rewrite: async () => 0,
  }
}

interface Opened {
  readonly liveConfig: LiveConfig
  readonly operations: ConfigOperations
  /** The configuration that was given to the gateway last. */
  applied(): Config
}

async function open(
  store: ConfigVersionStore,
  { file = {}, secret = 'a secret' }: { readonly file?: object; readonly secret?: string } = {},
): Promise<Opened> {
  const sealer = createSealer(secret, systemRandom)
  const options = { store, sealer, registry: providerRegistry, clock: createFakeClock() }
  const liveConfig = await openLiveConfig(readFile(file), options)
  let applied = liveConfig.state().config
  liveConfig.serve({
    async apply(next, makeDurable) {
      const install = await makeDurable()
      install?.()
      applied = next
    },
    preview: ({ channels, models }) =>
      createCatalog({ channels, entries: models, lists: new Map(), createdAtSeconds: 0 }),
  })
  const operations = createConfigOperations({
    liveConfig,
    groups: { requireUnused: () => undefined, forget: async () => undefined },
    store,
    registry: providerRegistry,
  })
  return { liveConfig, operations, applied: () => applied }
}

const channel = (name: string, more: object = {}): JsonObject => ({
  name,
  provider: 'openai',
  api_key: `sk-secret-of-${name}-0001`,
  models: ['m'],
  ...more,
})
const put = ({ operations }: Opened, document: JsonObject) => operations.edit(() => document, by)
const namesOf = ({ channels }: Config) => channels.map(({ name }) => name)

const name = fc.constantFrom('a', 'b', 'c', 'f')
const channels = fc
  .uniqueArray(name, { maxLength: 3 })
  .chain((names) =>
    fc.tuple(
      ...names.map((one) => fc.integer({ min: -1, max: 5 }).map((weight) => channel(one, { weight }))),
    ),
  )
const step = fc.oneof(
  fc.record({ type: fc.constant('put' as const), channels }),
  fc.constant({ type: 'undo' as const }),
  fc.record({ type: fc.constant('restore' as const), number: fc.integer({ min: 0, max: 8 }) }),
  fc.constant({ type: 'restart' as const }),
)

it('any sequence of valid and invalid changes gives the same state as applying only the valid ones', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const store = createMemoryStore()
      const file = { channels: [channel('f')] }
      let opened = await open(store, { file })
      // The model: each good document, and the one that it stands for.
      const documents: JsonObject[] = [{}]
      const origins = [0]
      const add = (document: JsonObject, origin: number) => {
        if (JSON.stringify(document) === JSON.stringify(documents.at(-1))) return
        documents.push(document)
        origins.push(origin)
      }
      for (const one of steps) {
        const last = origins.at(-1) ?? 0
        if (one.type === 'restart') opened = await open(store, { file })
        if (one.type === 'put') {
          const isGood = one.channels.every(({ name, weight }) => name !== 'f' && Number(weight) > 0)
          const document: JsonObject = one.channels.length === 0 ? {} : { channels: one.channels }
          const done = put(opened, document)
          if (isGood) await done
          else await expect(done).rejects.toThrow()
          if (isGood) add(document, documents.length)
        }
        if (one.type === 'undo') {
          const done = opened.operations.undo(by)
          if (last === 0) await expect(done).rejects.toMatchObject({ failure: { code: 'nothing_to_undo' } })
          else {
            await done
            add(documents[last - 1] ?? {}, origins[last - 1] ?? 0)
          }
        }
        if (one.type === 'restore') {
          const done = opened.operations.restore(one.number, by)
          if (one.number >= documents.length) await expect(done).rejects.toThrow()
          else {
            await done
            add(documents[one.number] ?? {}, origins[one.number] ?? 0)
          }
        }
        const { newest, serving, config, problems } = opened.liveConfig.state()
        expect([newest.number, serving.number, problems]).toEqual([
          documents.length - 1,
          documents.length - 1,
          [],
        ])
        expect(newest.document).toEqual(documents.at(-1))
        expect(opened.applied()).toBe(config)
        const made = documents.at(-1)?.['channels']
        const expected = Array.isArray(made) ? made : []
        expect(
          config.channels.map(({ name, weight, credentials }) => [name, weight, credentials[0]?.secret]),
        ).toEqual(
          [channel('f', { weight: 1 }), ...expected].map((one) => [
            one['name'],
            one['weight'],
            one['api_key'],
          ]),
        )
      }
      expect(store.rows.join('\n')).not.toContain('sk-secret-of')
    }),
    { numRuns: 150 },
  )
})

it('a version that no longer fits the file stays unused, and the last version that fits is served', async () => {
  const store = createMemoryStore()
  const first = await open(store, { file: { channels: [channel('f')] } })
  await put(first, { retry: { attempts: 7 } })
  await put(first, { retry: { attempts: 8 }, models: { x: { targets: ['f/m'] } } })
  const again = await open(store, { file: { channels: [channel('g')] } })
  const state = again.liveConfig.state()
  expect([state.newest.number, state.serving.number, state.config.retry.attempts]).toEqual([2, 1, 7])
  expect(state.problems).toMatchObject([{ path: 'models.x.targets[0]', owner: 'api' }])
  // A change is made to the newest, so that nothing of it is lost in silence.
  await expect(again.operations.edit((shown) => ({ ...shown, queue: 'off' }), by)).rejects.toMatchObject({
    failure: { code: 'config_invalid' },
  })
  const mended = await again.operations.edit(({ models: _, ...rest }) => rest, by)
  expect([mended.serving.number, mended.config.retry.attempts, mended.problems]).toEqual([3, 8, []])
})

it('a reload is refused if the file drops a channel that a version needs, and the file wins if names are equal', async () => {
  const opened = await open(createMemoryStore(), { file: { channels: [channel('f')] } })
  await put(opened, { channels: [channel('a')], models: { x: { targets: ['f/m'] } } })
  const durable = async () => undefined
  const without = opened.liveConfig.reload(readFile({ channels: [channel('g')] }), durable)
  await expect(without).rejects.toThrow('admin API, version 1: models.x.targets[0]: there is no channel "f"')
  expect(namesOf(opened.applied())).toEqual(['f', 'a'])
  const file = { channels: [channel('f'), channel('a', { weight: 9 })], retry: { attempts: 2 } }
  const { problems, config } = await opened.liveConfig.reload(readFile(file), durable)
  expect(config.channels.map(({ name, weight }) => [name, weight])).toEqual([
    ['f', 1],
    ['a', 9],
  ])
  expect(problems).toMatchObject([{ path: 'channels[0]', owner: 'api' }])
  // A shadowed object hinders no other change, and may be deleted.
  await opened.operations.edit((shown) => ({ ...shown, queue: 'off' }), by)
  const cleared = await put(opened, { queue: 'off' })
  expect([cleared.problems, cleared.config.queue]).toEqual([[], undefined])
})

it('secrets sealed with another gateway secret are reported and can be entered again', async () => {
  const store = createMemoryStore()
  await put(await open(store), { channels: [channel('a')] })
  const opened = await open(store, { secret: 'another secret' })
  const { serving, problems } = opened.liveConfig.state()
  expect(serving.number).toBe(0)
  expect(problems).toMatchObject([
    { path: 'channels[0].api_key', message: expect.stringContaining('sealed with another secret') },
  ])
  const keep = opened.operations.edit((shown) => ({ ...shown, queue: 'off' }), by)
  await expect(keep).rejects.toMatchObject({ failure: { code: 'config_invalid' } })
  const entered = await put(opened, { channels: [channel('a')] })
  expect([entered.serving.number, namesOf(entered.config)]).toEqual([2, ['a']])
})

it('a sealed secret that was moved to another row cannot be opened', async () => {
  const store = createMemoryStore()
  await put(await open(store), { channels: [channel('a'), channel('b')] })
  const row: { document: { channels: { api_key: unknown }[] } } = JSON.parse(store.rows[0] ?? '')
  const [one, two] = row.document.channels
  if (one !== undefined && two !== undefined) [one.api_key, two.api_key] = [two.api_key, one.api_key]
  store.rows[0] = JSON.stringify(row)
  expect((await open(store)).liveConfig.state().problems).toHaveLength(2)
})

it('a change has no effect if the gateway cannot apply or store it', async () => {
  const store = createMemoryStore()
  const opened = await open(store)
  await put(opened, { retry: { attempts: 7 } })
  store.append = async () => {
    throw new Error('the disk is full')
  }
  await expect(put(opened, { retry: { attempts: 8 } })).rejects.toThrow('the disk is full')
  expect([opened.liveConfig.state().config.retry.attempts, opened.applied().retry.attempts]).toEqual([7, 7])
})

it('a version that was stored although its change failed is in force before the next change', async () => {
  const store = createMemoryStore()
  const opened = await open(store)
  const { append } = store
  store.append = async (version) => {
    await append(version)
    throw new Error('the thread ended before it could say so')
  }
  await expect(put(opened, { retry: { attempts: 7 } })).rejects.toThrow('the thread ended')
  expect(opened.applied().retry.attempts).not.toBe(7)
  store.append = append
  await put(opened, { retry: { attempts: 8 } })
  expect([opened.liveConfig.state().newest.number, opened.applied().retry.attempts]).toEqual([2, 8])
})

it('a change is planned again on the version that another node stored first', async () => {
  const store = createMemoryStore()
  const [first, second] = [await open(store), await open(store)]
  await put(first, { channels: [channel('a')] })
  const seen: number[] = []
  const record = { ...by, action: 'change', comment: '', restoredFrom: undefined } as const
  const { newest, config } = await second.liveConfig.change(({ newest }) => {
    seen.push(newest.number)
    return { document: { ...newest.document, retry: { attempts: 8 } }, record }
  })
  expect(seen).toEqual([0, 1])
  expect([newest.number, config.retry.attempts]).toEqual([2, 8])
  expect(config.channels.map(({ name }) => name)).toContain('a')
})

it('an undo is refused if another node stored a version first, which would be undone instead', async () => {
  const store = createMemoryStore()
  const first = await open(store)
  await put(first, { retry: { attempts: 7 } })
  const second = await open(store)
  await put(first, { retry: { attempts: 8 } })
  await expect(second.operations.undo(by)).rejects.toMatchObject({
    failure: { code: 'config_version_conflict' },
  })
  expect(second.applied().retry.attempts).toBe(8)
})

it('a change to a stated version is refused if another node stored a version first', async () => {
  const store = createMemoryStore()
  const [first, second] = [await open(store), await open(store)]
  await put(first, { retry: { attempts: 7 } })
  const changing = second.operations.edit(() => ({ retry: { attempts: 8 } }), { ...by, baseVersion: 0 })
  await expect(changing).rejects.toMatchObject({
    failure: { code: 'config_version_conflict' },
  })
  expect(second.applied().retry.attempts).toBe(7)
})
