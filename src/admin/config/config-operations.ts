import { permissionOf } from '../../access/describe-caller.ts'
import type { Key } from '../../access/key.ts'
import { permits } from '../../access/permission.ts'
import type { Actor } from '../../canonical/audit.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { Config } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { describeChanges } from '../../config/layers/describe-changes.ts'
import { maskSecrets } from '../../config/secrets/mask-secrets.ts'
import { restoreMaskedSecrets } from '../../config/secrets/restore-masked-secrets.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import type { CheckView, VersionDetail, VersionDiff, VersionList } from './config-contract.ts'
import type { ConfigVersionStore } from './config-version-store.ts'
import type { ChangeRecord, ConfigState, LiveConfig, OpenVersion } from './live-config.ts'
import { refuseOwned } from './refuse-owned.ts'
import { viewConfig, viewProblem, viewVersion } from './view-config.ts'

/** The one who asks for a change, and what they know of the state before. */
export interface ConfigAuthor extends Actor {
  /** The version that the change is made to; undefined for whichever there is. */
  readonly baseVersion?: number | undefined
  readonly comment?: string | undefined
}

/** A change of the document. It sees masked secrets and may leave them as they are shown. */
export type DocumentEdit = (shown: JsonObject, state: ConfigState) => JsonObject

/** The operations on the configuration. A fulfilled change is durable and applies to the next request. */
export interface ConfigOperations {
  state(): ConfigState
  edit(edit: DocumentEdit, by: ConfigAuthor): Promise<ConfigState>
  /** The effect that the document would have; nothing is changed. */
  check(document: JsonObject): Promise<CheckView>
  versions(page: { readonly before: number | undefined; readonly limit: number }): Promise<VersionList>
  version(number: number): Promise<VersionDetail>
  /** The differences between two versions of which the documents are still stored. */
  diff(from: number, to: number): Promise<VersionDiff>
  undo(by: ConfigAuthor): Promise<ConfigState>
  restore(number: number, by: ConfigAuthor): Promise<ConfigState>
}

export interface ConfigOperationOptions {
  readonly liveConfig: LiveConfig
  readonly store: ConfigVersionStore
  readonly registry: ProviderRegistry
  /** All keys, as they are in memory. */
  readonly keys: () => readonly Key[]
}

export function createConfigOperations(options: ConfigOperationOptions): ConfigOperations {
  const { liveConfig, registry } = options
  /** A change to the version that its author knows. */
  const change = (by: ConfigAuthor, plan: Parameters<LiveConfig['change']>[0]) =>
    withConfigErrors(() =>
      liveConfig.change((state) => {
        requireVersion(state, by)
        return plan(state)
      }),
    )
  return {
    state: liveConfig.state,
    edit: (edit, by) =>
      change(by, (state) => {
        const document = planDocument(edit, state, registry)
        return { document, record: recordOf(by, 'change') }
      }),
    check: (document) => checkDocument(document, options),
    ...createVersionReaders(options),
    async diff(from, to) {
      const [before, after] = [await loadVersion(liveConfig, from), await loadVersion(liveConfig, to)]
      return { from, to, changes: [...describeChanges(before.document, after.document)] }
    },
    undo: (by) =>
      change(by, async ({ newest }) => {
        const undone = newest.restoredFrom ?? newest.number
        if (undone === 0) throw new GatewayError('nothing_to_undo')
        return revertTo(await loadVersion(liveConfig, undone - 1), recordOf(by, 'undo'))
      }),
    restore: (number, by) =>
      change(by, async () => revertTo(await loadVersion(liveConfig, number), recordOf(by, 'restore'))),
  }
}

function createVersionReaders({
  liveConfig,
  store,
}: ConfigOperationOptions): Pick<ConfigOperations, 'versions' | 'version'> {
  return {
    async versions({ before, limit }) {
      const found = await store.list({ before, limit })
      const last = found.at(-1)?.number ?? 1
      const state = liveConfig.state()
      return {
        data: found.map((version) => viewVersion(version, state)),
        next_before: found.length === limit && last > 1 ? last : null,
      }
    },
    async version(number) {
      const found = await store.find(number)
      if (found === undefined) throw new GatewayError('config_version_not_found')
      const opened = await liveConfig.find(number)
      const state = liveConfig.state()
      const shown = opened === undefined ? undefined : maskSecrets(opened.document)
      const document = shown === undefined ? null : viewConfigDocument(shown, state)
      return { ...viewVersion(found, state), document }
    },
  }
}

function viewConfigDocument(shown: JsonObject, state: ConfigState): VersionDetail['document'] {
  const newest = { number: 0, document: shown, restoredFrom: undefined }
  return viewConfig({ ...state, newest }).document
}

function planDocument(edit: DocumentEdit, state: ConfigState, registry: ProviderRegistry): JsonObject {
  const shown = maskSecrets(state.newest.document)
  const next = edit(shown, state)
  refuseOwned(next, shown, state.file.file.value)
  const { document, problems } = restoreMaskedSecrets(next, state.newest.document, registry)
  if (problems.length > 0) throw new ConfigError(problems)
  return document
}

function revertTo({ number, document, restoredFrom }: OpenVersion, record: ChangeRecord) {
  return { document, record: { ...record, restoredFrom: restoredFrom ?? number } }
}

async function loadVersion(liveConfig: LiveConfig, number: number): Promise<OpenVersion> {
  const found = await liveConfig.find(number)
  if (found === undefined) throw new GatewayError('config_version_not_found')
  return found
}

function requireVersion({ newest }: ConfigState, { baseVersion }: ConfigAuthor): void {
  if (baseVersion === undefined || baseVersion === newest.number) return
  const message = `The configuration is at version ${newest.number} by now, and your change was made to version ${baseVersion}. Read it again, and make your change to what it is now.`
  throw new GatewayError('config_version_conflict', { message })
}

function recordOf(
  { author, credential, address, comment }: ConfigAuthor,
  action: ChangeRecord['action'],
): ChangeRecord {
  return { author, credential, address, comment, action, restoredFrom: undefined }
}

/** Runs the work and answers with the problems of its document. */
async function withConfigErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ConfigError ? describeInvalid(error) : error
  }
}

function describeInvalid({ problems }: ConfigError): GatewayError {
  const [first] = problems
  const more = problems.length > 1 ? ` And ${problems.length - 1} more, listed in "problems".` : ''
  const message = `Nothing was changed. ${first?.path || 'The document'}: ${first?.message}.${more}`
  return new GatewayError('config_invalid', {
    param: first?.path ?? '',
    message,
    problems: problems.map((problem) => ({ ...viewProblem(problem) })),
  })
}

async function checkDocument(document: JsonObject, options: ConfigOperationOptions): Promise<CheckView> {
  const { liveConfig, registry } = options
  const state = liveConfig.state()
  try {
    const planned = planDocument(() => document, state, registry)
    const { config, shadowed } = await liveConfig.join(planned)
    const changes = [...describeChanges(state.newest.document, planned)]
    const effect = await findEffect(config, options)
    return {
      ok: true,
      problems: shadowed.map(viewProblem),
      warnings: [...config.warnings],
      changes,
      ...effect,
    }
  } catch (error) {
    const problems = problemsOf(error)
    return { ok: false, problems, warnings: [], changes: [], models_added: [], models_removed: [], keys: [] }
  }
}

function problemsOf(error: unknown): CheckView['problems'] {
  if (error instanceof ConfigError) return error.problems.map(viewProblem)
  if (!(error instanceof GatewayError) || error.failure.code !== 'owned_by_file') throw error
  return [{ path: error.failure.param ?? '', message: error.failure.message, owner: 'api' }]
}

/** The models that a key may use, by its own grant and its group's. */
function createModelFinder({ groups }: Config, names: readonly string[]) {
  const byName = new Map(groups.map((group) => [group.name, group]))
  return (key: Key): readonly string[] => {
    const permission = permissionOf(key, byName)
    return names.filter((name) => permits(permission, name))
  }
}

async function findEffect(
  config: Config,
  { liveConfig, keys }: ConfigOperationOptions,
): Promise<Pick<CheckView, 'models_added' | 'models_removed' | 'keys'>> {
  const target = await liveConfig.target()
  const namesIn = (one: Config) => target.preview(one).models.map(({ name }) => name)
  const [before, after] = [namesIn(liveConfig.state().config), namesIn(config)]
  const removed = before.filter((name) => !after.includes(name))
  const live = keys().filter(({ revokedAtMs }) => revokedAtMs === undefined)
  const usedBefore = createModelFinder(liveConfig.state().config, before)
  const usedAfter = createModelFinder(config, after)
  const losing = live.flatMap((key) => {
    const remaining = new Set(usedAfter(key))
    const loses = usedBefore(key).filter((model) => !remaining.has(model))
    return loses.length === 0 ? [] : [{ id: key.id, name: key.name, loses }]
  })
  return {
    models_added: after.filter((name) => !before.includes(name)),
    models_removed: removed,
    keys: losing,
  }
}
