import type { Actor } from '../../canonical/audit.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { type RefusalFact, refuse } from '../../canonical/refusal.ts'
import { describeChanges } from '../../config/layers/describe-changes.ts'
import { maskSecrets } from '../../config/secrets/mask-secrets.ts'
import { nameOf } from '../../config/source/document-objects.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import type { VersionDetail, VersionDiff, VersionList } from './config-contract.ts'
import type { ConfigVersionStore } from './config-version-store.ts'
import type { ChangeRecord, ConfigState, LiveConfig, OpenVersion } from './live-config.ts'
import { type MergeConflict, type MergedChanges, mergeChanges } from './merge-changes.ts'
import { objectKinds } from './object-kind.ts'
import { type DocumentEdit, planDocument, withConfigErrors } from './plan-document.ts'
import { refuseOwned } from './refuse-owned.ts'
import { viewChanges, viewConfig, viewVersion } from './view-config.ts'

/** The author of a change, and the version that the author has seen. */
export interface ConfigAuthor extends Actor {
  /** The version that the change is based on. Undefined for the newest version, whatever it is. */
  readonly baseVersion?: number | undefined
  readonly comment?: string | undefined
}

/** The operations on the configuration. When a change resolves, it is durable and applies to the next request. */
export interface ConfigOperations {
  state(): ConfigState
  edit(edit: DocumentEdit, by: ConfigAuthor): Promise<ConfigState>
  /** Makes a document the newest version. Its secrets are in plain text. */
  install(document: JsonObject, by: ConfigAuthor): Promise<ConfigState>
  versions(page: { readonly before: number | undefined; readonly limit: number }): Promise<VersionList>
  version(number: number): Promise<VersionDetail>
  /** The differences between two versions whose documents are still stored. */
  diff(from: number, to: number): Promise<VersionDiff>
  undo(by: ConfigAuthor): Promise<ConfigState>
  /**
   * Undoes only the changes of one version. Fails with `undo_conflict` if later versions changed the same objects,
   * unless it is forced.
   */
  undoVersion(number: number, by: ConfigAuthor & { readonly force: boolean }): Promise<ConfigState>
  restore(number: number, by: ConfigAuthor): Promise<ConfigState>
}

/** Keys and members, which are stored outside the configuration and refer to its groups. */
export interface GroupDependents {
  /** Fails with `group_in_use` where one of the groups has keys that are not revoked. */
  requireUnused(groups: readonly string[]): void
  /** Removes all members of deleted groups. Otherwise a later group of the same name would have them. */
  forget(groups: readonly string[]): Promise<void>
}

export interface ConfigOperationOptions {
  readonly liveConfig: LiveConfig
  readonly groups: GroupDependents
  readonly store: ConfigVersionStore
  readonly registry: ProviderRegistry
}

export function createConfigOperations(options: ConfigOperationOptions): ConfigOperations {
  const { liveConfig, registry, groups } = options
  /** A change to the version that its author knows. */
  const change = (by: ConfigAuthor, plan: Parameters<LiveConfig['change']>[0]) =>
    withConfigErrors(async () => {
      let removed: readonly string[] = []
      const changed = await liveConfig.change(async (state) => {
        requireVersion(state, by)
        const planned = await plan(state)
        removed = listRemovedGroups(state, planned.document)
        groups.requireUnused(removed)
        return planned
      })
      await groups.forget(removed)
      return changed
    })
  return {
    state: liveConfig.state,
    edit: (edit, by) =>
      change(by, (state) => {
        const document = planDocument(edit, { document: state.newest.document, state }, registry)
        return { document, record: recordOf(by, 'change') }
      }),
    install: (document, by) =>
      change(by, ({ newest, file }) => {
        refuseOwned(maskSecrets(document), maskSecrets(newest.document), file.file.value)
        return { document, record: recordOf(by, 'change') }
      }),
    ...createVersionReaders(options),
    async diff(from, to) {
      const [before, after] = [await loadVersion(liveConfig, from), await loadVersion(liveConfig, to)]
      return { from, to, ...viewChanges(describeChanges(before.document, after.document)) }
    },
    undo(by) {
      let seen: number | undefined
      return change(by, async ({ newest }) => {
        // Another node's version must not be undone in the place of the one that the author saw.
        seen ??= newest.number
        if (newest.number !== seen) throw new GatewayError('config_version_conflict')
        const undone = newest.restoredFrom ?? newest.number
        if (undone === 0) throw new GatewayError('nothing_to_undo')
        return revertTo(await loadVersion(liveConfig, undone - 1), recordOf(by, 'undo'))
      })
    },
    undoVersion: (number, by) =>
      change(by, async ({ newest }) => {
        const { document, conflicts, restored } = await planUndo(number, newest, liveConfig)
        if (conflicts.length > 0 && !by.force) throw refuseUndo(number, conflicts)
        const record = recordOf({ ...by, comment: by.comment ?? `undoes version ${number}` }, 'undo')
        return restored === undefined ? { document, record } : revertTo(restored, record)
      }),
    restore: (number, by) =>
      change(by, async () => revertTo(await loadVersion(liveConfig, number), recordOf(by, 'restore'))),
  }
}

/** The groups that exist now and would not exist with the next document. */
export function listRemovedGroups({ newest, file }: ConfigState, next: JsonObject): readonly string[] {
  const kind = objectKinds.groups
  return kind
    .list(newest.document)
    .map(nameOf)
    .filter((name) => [next, file.file.value].every((document) => kind.find(document, name) === undefined))
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

function revertTo({ number, document, restoredFrom }: OpenVersion, record: ChangeRecord) {
  return { document, record: { ...record, restoredFrom: restoredFrom ?? number } }
}

export async function loadVersion(
  liveConfig: Pick<LiveConfig, 'find'>,
  number: number,
): Promise<OpenVersion> {
  const found = await liveConfig.find(number)
  if (found === undefined) throw new GatewayError('config_version_not_found')
  return found
}

export interface PlannedUndo extends MergedChanges {
  /** The previous version, if the newest version is undone. */
  readonly restored: OpenVersion | undefined
}

/** The document without what one version changed. */
export async function planUndo(
  number: number,
  newest: OpenVersion,
  liveConfig: Pick<LiveConfig, 'find'>,
): Promise<PlannedUndo> {
  if (number === 0) throw new GatewayError('config_version_not_found')
  const undone = await loadVersion(liveConfig, number)
  const before = await loadVersion(liveConfig, number - 1)
  if (number === newest.number) return { document: before.document, conflicts: [], restored: before }
  const input = { base: undone.document, mine: before.document, theirs: newest.document }
  return { ...mergeChanges(input), restored: undefined }
}

function refuseUndo(number: number, conflicts: readonly MergeConflict[]): GatewayError {
  const problems = conflicts.map(({ kind, name }) => ({
    path: `${kind}.${name}`,
    message: `was changed again after version ${number}, and would be as it was before that version`,
    fact: { code: 'changed_later', values: { version: number } } satisfies RefusalFact,
  }))
  const names = problems.map(({ path }) => path).join(', ')
  const message = `Nothing was changed. Later versions changed the same objects, which would be undone as well: ${names}. "force": true does it all the same.`
  return new GatewayError('undo_conflict', { message, problems })
}

function requireVersion({ newest }: ConfigState, { baseVersion }: ConfigAuthor): void {
  if (baseVersion === undefined || baseVersion === newest.number) return
  const message = `The configuration is at version ${newest.number} by now, and your change was made to version ${baseVersion}. Read it again, and make your change to what it is now.`
  throw refuse('config_version_conflict', {
    message,
    fact: { code: 'configuration_moved', values: { newest: newest.number, base: baseVersion } },
  })
}

function recordOf(
  { author, credential, address, comment }: ConfigAuthor,
  action: ChangeRecord['action'],
): ChangeRecord {
  return { author, credential, address, comment, action, restoredFrom: undefined }
}
