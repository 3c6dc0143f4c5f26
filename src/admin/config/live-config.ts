import { GatewayError } from '../../canonical/failure.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Config } from '../../config/config.ts'
import { ConfigError, type ConfigProblem } from '../../config/config-error.ts'
import { describeChanges, isSameJson } from '../../config/layers/describe-changes.ts'
import { type JoinedConfig, joinConfig } from '../../config/layers/join-config.ts'
import { openDocument, sealDocument } from '../../config/secrets/seal-document.ts'
import { createMutex } from '../../kit/async/create-mutex.ts'
import type { Sealer } from '../../kit/bytes/seal.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import type { ConfigVersion, ConfigVersionStore } from './config-version-store.ts'

/** A version with its secrets in plain text. Number 0 is the empty document, which is not stored. */
export interface OpenVersion {
  readonly number: number
  readonly document: JsonObject
  readonly restoredFrom: number | undefined
}

/** The configuration in force at one time, and its origin. */
export interface ConfigState {
  readonly file: Config
  readonly newest: OpenVersion
  /** The version in force. It is an older version if the newest cannot be used. */
  readonly serving: OpenVersion
  /** The file and the serving version joined. */
  readonly config: Config
  /** The parts of the newest version that do not apply. */
  readonly problems: readonly ConfigProblem[]
}

/**
 * Makes the change durable. The function that it resolves with runs in the same turn of the event loop in which the
 * change takes effect.
 */
export type MakeDurable = () => Promise<(() => void) | undefined>

/** The running gateway, as far as a configuration changes it. */
export interface ConfigTarget {
  /** Serves all later requests by a configuration. If that is impossible, it rejects and nothing takes effect. */
  apply(next: Config, makeDurable: MakeDurable): Promise<void>
  /** The catalog that the configuration would serve. */
  preview(next: Config): Catalog
}

/** The record of a change that is to be written. */
export type ChangeRecord = Pick<
  ConfigVersion,
  'author' | 'credential' | 'address' | 'action' | 'comment' | 'restoredFrom'
>

export interface PlannedChange {
  readonly document: JsonObject
  readonly record: ChangeRecord
}

export interface LiveConfig {
  state(): ConfigState
  /** Resolves once a target serves. */
  target(): Promise<ConfigTarget>
  /** Passes every later change to the target. */
  serve(target: ConfigTarget): void
  /**
   * Makes changes one after another. `plan` gets the state that its change is applied to. It is called again if another
   * node stores a version first.
   */
  change(plan: (state: ConfigState) => PlannedChange | Promise<PlannedChange>): Promise<ConfigState>
  /** Replaces the file. Rejects with `ConfigError` if the newest version is incompatible with it. */
  reload(file: Config, makeDurable: MakeDurable): Promise<ConfigState>
  /** Applies a newer version that another node has stored. */
  follow(): Promise<void>
  /** Undefined if no version has the number, or its document is no longer stored. */
  find(number: number): Promise<OpenVersion | undefined>
  /** The configuration that would result from the document. Nothing is changed. */
  join(document: JsonObject): Promise<JoinedConfig>
}

export interface LiveConfigOptions {
  readonly store: ConfigVersionStore
  readonly sealer: Sealer
  readonly registry: ProviderRegistry
  readonly clock: Clock
}

/** The maximum number of times that a change is planned while other nodes store versions. */
const MAX_ATTEMPTS = 20

const emptyVersion: OpenVersion = { number: 0, document: {}, restoredFrom: undefined }

/** Starts with the newest version that is compatible with the file. */
export async function openLiveConfig(file: Config, options: LiveConfigOptions): Promise<LiveConfig> {
  return new VersionedConfig(await findUsable(file, options), options)
}

class VersionedConfig implements LiveConfig {
  readonly #options: LiveConfigOptions
  readonly #mutex = createMutex()
  // The admin API may be called before the start is complete.
  readonly #started = Promise.withResolvers<ConfigTarget>()
  #state: ConfigState

  constructor(state: ConfigState, options: LiveConfigOptions) {
    this.#state = state
    this.#options = options
  }

  readonly state = (): ConfigState => this.#state

  target(): Promise<ConfigTarget> {
    return this.#started.promise
  }

  serve(target: ConfigTarget): void {
    this.#started.resolve(target)
  }

  change(plan: Parameters<LiveConfig['change']>[0]): Promise<ConfigState> {
    return this.#mutex.run(async () => {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        const installed = await this.#install(await plan(this.#state))
        if (installed !== undefined) return installed
      }
      throw new GatewayError('config_version_conflict')
    })
  }

  reload(file: Config, makeDurable: MakeDurable): Promise<ConfigState> {
    return this.#mutex.run(async () => {
      const joined = await joinAgain(file, this.#state, this.#options.registry)
      const running = await this.target()
      await running.apply(joined.config, makeDurable)
      this.#state = joined
      return joined
    })
  }

  follow(): Promise<void> {
    return this.#mutex.run(async () => {
      const latest = await this.#options.store.latest()
      if ((latest?.number ?? 0) > this.#state.newest.number) await this.#applyNewest()
    })
  }

  async find(number: number): Promise<OpenVersion | undefined> {
    if (number === 0) return emptyVersion
    const { store, sealer } = this.#options
    return openVersion(await store.find(number), sealer)?.version
  }

  join(document: JsonObject): Promise<JoinedConfig> {
    return joinConfig(this.#state.file, document, this.#options.registry)
  }

  /** Undefined if another node was first. Its version is then in force. */
  async #install({ document, record }: PlannedChange): Promise<ConfigState | undefined> {
    const { store, sealer, registry, clock } = this.#options
    const { file, newest } = this.#state
    if (isSameJson(document, newest.document)) return this.#state
    const number = newest.number + 1
    const { config, shadowed } = await joinConfig(file, document, registry)
    const version = {
      ...record,
      number,
      createdAtMs: clock.nowMs(),
      changes: describeChanges(newest.document, document),
      document: sealDocument(document, { type: 'version', number }, sealer),
    }
    const running = await this.target()
    try {
      await running.apply(config, async () => void (await store.append(version)))
    } catch (error) {
      if (!isConflict(error)) throw error
      await this.#applyNewest()
      return undefined
    }
    const installed = { number, document, restoredFrom: record.restoredFrom }
    this.#state = { file, newest: installed, serving: installed, config, problems: shadowed }
    return this.#state
  }

  /**
   * Applies a version of the store that is not known here: that of another node, or one that became durable although
   * its change was reported as failed. Otherwise every later change would be refused.
   */
  async #applyNewest(): Promise<void> {
    const found = await findUsable(this.#state.file, this.#options)
    const running = await this.target()
    await running.apply(found.config, async () => undefined)
    this.#state = found
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof GatewayError && error.failure.code === 'config_version_conflict'
}

interface Opened {
  readonly version: OpenVersion
  readonly problems: readonly ConfigProblem[]
}

function openVersion(stored: ConfigVersion | undefined, sealer: Sealer): Opened | undefined {
  if (stored?.document === undefined) return undefined
  const { number, restoredFrom } = stored
  const { document, problems } = openDocument(stored.document, { type: 'version', number }, sealer)
  return { version: { number, document, restoredFrom }, problems }
}

async function findUsable(
  file: Config,
  { store, sealer, registry }: LiveConfigOptions,
): Promise<ConfigState> {
  const latest = openVersion(await store.latest(), sealer)
  const nothing = { file, newest: emptyVersion, serving: emptyVersion, config: file, problems: [] }
  if (latest === undefined) return nothing
  const newest = latest.version
  let problems: readonly ConfigProblem[] = []
  for (let opened: Opened | undefined = latest; opened !== undefined; ) {
    const { version: serving } = opened
    const tried = await tryJoin(file, opened, registry)
    if (tried.type === 'joined') {
      const { config, shadowed } = tried.joined
      return { file, newest, serving, config, problems: serving === newest ? shadowed : problems }
    }
    if (serving === newest) problems = tried.problems
    opened = openVersion(await store.find(serving.number - 1), sealer)
  }
  return { ...nothing, newest, problems }
}

type JoinAttempt =
  | { readonly type: 'joined'; readonly joined: JoinedConfig }
  | { readonly type: 'refused'; readonly problems: readonly ConfigProblem[] }

async function tryJoin(
  file: Config,
  { version, problems }: Opened,
  registry: ProviderRegistry,
): Promise<JoinAttempt> {
  if (problems.length > 0) return { type: 'refused', problems }
  try {
    return { type: 'joined', joined: await joinConfig(file, version.document, registry) }
  } catch (error) {
    if (error instanceof ConfigError) return { type: 'refused', problems: error.problems }
    throw error
  }
}

/**
 * Joins the file with the newest version. If that version was already unusable before, the serving version may stay
 * in force.
 */
async function joinAgain(file: Config, state: ConfigState, registry: ProviderRegistry): Promise<ConfigState> {
  const { newest, serving } = state
  const tried = await tryJoin(file, { version: newest, problems: [] }, registry)
  if (tried.type === 'joined') {
    const { config, shadowed } = tried.joined
    return { file, newest, serving: newest, config, problems: shadowed }
  }
  if (serving === newest) throw new ConfigError(tried.problems.map((problem) => nameVersion(problem, newest)))
  const { config } = await joinConfig(file, serving.document, registry)
  return { file, newest, serving, config, problems: tried.problems }
}

function nameVersion(problem: ConfigProblem, { number }: OpenVersion): ConfigProblem {
  const whose = problem.owner === 'api' ? `admin API, version ${number}` : 'together with the admin API'
  return { ...problem, path: `${whose}: ${problem.path}` }
}
