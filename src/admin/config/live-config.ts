import { GatewayError } from '../../canonical/failure.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Config } from '../../config/config.ts'
import { ConfigError, type ConfigProblem } from '../../config/config-error.ts'
import { describeChanges, isSameJson } from '../../config/layers/describe-changes.ts'
import { type JoinedConfig, joinConfig } from '../../config/layers/join-config.ts'
import { openDocument, sealDocument } from '../../config/secrets/seal-document.ts'
import type { Sealer } from '../../kit/bytes/seal.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { createMutex } from '../../kit/values/create-mutex.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import type { ConfigVersion, ConfigVersionStore } from './config-version-store.ts'

/** A version with its secrets in the clear. Number 0 is the empty document, which no store holds. */
export interface OpenVersion {
  readonly number: number
  readonly document: JsonObject
  readonly restoredFrom: number | undefined
}

/** What counts at one moment, and why. */
export interface ConfigState {
  /** The file by itself. */
  readonly file: Config
  /** The newest version. */
  readonly head: OpenVersion
  /** The version that counts; an older one where the newest cannot be used. */
  readonly serving: OpenVersion
  /** File and serving version together. */
  readonly config: Config
  /** What of the newest version does not count. */
  readonly problems: readonly ConfigProblem[]
}

/** Ends what makes the change durable; what it gives back is done in the same turn in which the change counts. */
export type MakeDurable = () => Promise<(() => void) | undefined>

/** The running gateway, as far as a configuration changes it. */
export interface ConfigTarget {
  /** All requests from then on are served by it. Rejects where it cannot be, and then nothing of it counts. */
  apply(next: Config, makeDurable: MakeDurable): Promise<void>
  /** What would be served. */
  preview(next: Config): Catalog
}

/** What is to be written of a change. */
export type ChangeRecord = Pick<ConfigVersion, 'author' | 'address' | 'action' | 'comment' | 'restoredFrom'>

export interface PlannedChange {
  readonly document: JsonObject
  readonly record: ChangeRecord
}

export interface ConfigKeeper {
  state(): ConfigState
  /** Fulfilled once something serves. */
  target(): Promise<ConfigTarget>
  /** From here on changes count. */
  serve(target: ConfigTarget): void
  /** Changes go one after the other; `plan` sees the state that its change is made to. */
  change(plan: (state: ConfigState) => PlannedChange | Promise<PlannedChange>): Promise<ConfigState>
  /** Takes over another file. Rejects with `ConfigError` where the newest version does not go with it. */
  reload(file: Config, makeDurable: MakeDurable): Promise<ConfigState>
  /** Undefined where there is none of the number, or its document is not kept any more. */
  find(number: number): Promise<OpenVersion | undefined>
  /** What the document would make, changing nothing. */
  join(document: JsonObject): Promise<JoinedConfig>
}

export interface ConfigKeeperOptions {
  readonly store: ConfigVersionStore
  readonly sealer: Sealer
  readonly registry: ProviderRegistry
  readonly clock: Clock
}

const emptyVersion: OpenVersion = { number: 0, document: {}, restoredFrom: undefined }

/** Starts with the newest version that goes with the file. */
export async function openConfigKeeper(file: Config, options: ConfigKeeperOptions): Promise<ConfigKeeper> {
  const { store, sealer, registry, clock } = options
  const mutex = createMutex()
  let state = await findUsable(file, options)
  // The admin API may be asked before the start has come to its end.
  const begun = Promise.withResolvers<ConfigTarget>()
  const target = () => begun.promise

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = await mutex.acquire()
    try {
      return await work()
    } finally {
      release()
    }
  }

  async function install({ document, record }: PlannedChange): Promise<ConfigState> {
    if (isSameJson(document, state.head.document)) return state
    const number = state.head.number + 1
    const { config, shadowed } = await joinConfig(state.file, document, registry)
    const version = {
      ...record,
      number,
      createdAtMs: clock.nowMs(),
      changes: describeChanges(state.head.document, document),
      document: sealDocument(document, number, sealer),
    }
    const running = await target()
    try {
      await running.apply(config, async () => void (await store.append(version)))
    } catch (error) {
      if (error instanceof GatewayError && error.failure.code === 'config_version_conflict')
        await takeNewest()
      throw error
    }
    const head = { number, document, restoredFrom: record.restoredFrom }
    state = { file: state.file, head, serving: head, config, problems: shadowed }
    return state
  }

  /**
   * The store has a version that is not known here, such as one that was durable although its change was told to have
   * failed. Whoever asks again then asks with it in view; without this every later change would be refused.
   */
  async function takeNewest(): Promise<void> {
    const newest = await findUsable(state.file, options)
    const running = await target()
    await running.apply(newest.config, async () => undefined)
    state = newest
  }

  return {
    state: () => state,
    target,
    serve: begun.resolve,
    change: (plan) => inTurn(async () => install(await plan(state))),
    reload: (next, makeDurable) =>
      inTurn(async () => {
        const joined = await joinAgain(next, state, registry)
        const running = await target()
        await running.apply(joined.config, makeDurable)
        state = joined
        return state
      }),
    async find(number) {
      const version = number === 0 ? undefined : await store.find(number)
      return number === 0 ? emptyVersion : openVersion(version, sealer)?.version
    },
    join: (document) => joinConfig(state.file, document, registry),
  }
}

interface Opened {
  readonly version: OpenVersion
  readonly problems: readonly ConfigProblem[]
}

function openVersion(stored: ConfigVersion | undefined, sealer: Sealer): Opened | undefined {
  if (stored?.document === undefined) return undefined
  const { number, restoredFrom } = stored
  const { document, problems } = openDocument(stored.document, number, sealer)
  return { version: { number, document, restoredFrom }, problems }
}

async function findUsable(
  file: Config,
  { store, sealer, registry }: ConfigKeeperOptions,
): Promise<ConfigState> {
  const latest = openVersion(await store.latest(), sealer)
  const nothing = { file, head: emptyVersion, serving: emptyVersion, config: file, problems: [] }
  if (latest === undefined) return nothing
  const head = latest.version
  let problems: readonly ConfigProblem[] = []
  for (let opened: Opened | undefined = latest; opened !== undefined; ) {
    const { version: serving } = opened
    const tried = await tryJoin(file, opened, registry)
    if (tried.joined !== undefined) {
      const { config, shadowed } = tried.joined
      return { file, head, serving, config, problems: serving === head ? shadowed : problems }
    }
    if (serving === head) problems = tried.problems
    opened = openVersion(await store.find(serving.number - 1), sealer)
  }
  return { ...nothing, head, problems }
}

interface Tried {
  readonly joined?: JoinedConfig
  readonly problems: readonly ConfigProblem[]
}

async function tryJoin(
  file: Config,
  { version, problems }: Opened,
  registry: ProviderRegistry,
): Promise<Tried> {
  if (problems.length > 0) return { problems }
  try {
    return { joined: await joinConfig(file, version.document, registry), problems: [] }
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems }
    throw error
  }
}

/** Where the newest version could not be used before, the one that serves may go on. */
async function joinAgain(file: Config, state: ConfigState, registry: ProviderRegistry): Promise<ConfigState> {
  const { head, serving } = state
  const newest = await tryJoin(file, { version: head, problems: [] }, registry)
  if (newest.joined !== undefined) {
    const { config, shadowed } = newest.joined
    return { file, head, serving: head, config, problems: shadowed }
  }
  if (serving === head) throw new ConfigError(newest.problems.map((problem) => nameVersion(problem, head)))
  const { config } = await joinConfig(file, serving.document, registry)
  return { file, head, serving, config, problems: newest.problems }
}

function nameVersion(problem: ConfigProblem, { number }: OpenVersion): ConfigProblem {
  const whose = problem.owner === 'api' ? `admin API, version ${number}` : 'together with the admin API'
  return { ...problem, path: `${whose}: ${problem.path}` }
}
