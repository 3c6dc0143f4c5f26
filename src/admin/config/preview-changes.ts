import type { Key } from '../../access/key.ts'
import type { Config } from '../../config/config.ts'
import { writeConfigWarning } from '../../config/config-warning.ts'
import { describeChanges } from '../../config/layers/describe-changes.ts'
import { mergeDocuments } from '../../config/layers/merge-documents.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import { findKeyLosses } from '../effects/compare-access.ts'
import type { ComparedState, Comparison } from '../effects/comparison.ts'
import type { Effects } from '../effects/effect-contract.ts'
import { findEffects } from '../effects/find-effects.ts'
import type { ChangePreview, CheckView } from './config-contract.ts'
import { type GroupDependents, listRemovedGroups, loadVersion, planUndo } from './config-operations.ts'
import type { ConfigState, ConfigTarget, LiveConfig } from './live-config.ts'
import type { MergeConflict } from './merge-changes.ts'
import { changeObject, type ObjectChange } from './object-edits.ts'
import { planDocument, problemsOf, withConfigErrors } from './plan-document.ts'
import { viewChanges, viewProblem } from './view-config.ts'

export interface PreviewOptions extends Pick<Comparison, 'useOf'> {
  readonly liveConfig: LiveConfig
  readonly registry: ProviderRegistry
  /** All keys, as they are in memory. */
  readonly keys: () => readonly Key[]
  readonly groups: Pick<GroupDependents, 'requireUnused'>
  readonly clock: Pick<Clock, 'nowMs'>
}

/** The effect that a change of the document would have. */
export type DocumentPreview = Omit<ChangePreview, 'conflicts'>

/** The operations that say what a change would do. They change nothing. */
export interface PreviewOperations {
  /** `document` may have masked secrets. */
  check(document: JsonObject): Promise<CheckView>
  /** `document` has its secrets in the clear. */
  document(document: JsonObject): Promise<DocumentPreview>
  object(change: ObjectChange): Promise<ChangePreview>
  undo(number: number): Promise<ChangePreview>
  restore(number: number): Promise<ChangePreview>
  /** The effects of changed terms of one key. */
  key(before: Key, after: Key): Promise<Effects>
}

export function createPreviewOperations(options: PreviewOptions): PreviewOperations {
  const { liveConfig, registry } = options
  const preview = (document: JsonObject) => previewDocument(document, options)
  const previewWith = async (document: JsonObject, conflicts: readonly MergeConflict[] = []) => {
    const previewed = await preview(document)
    return { ...previewed, conflicts: [...conflicts] }
  }
  return {
    document: preview,
    check: (document) => checkDocument(document, options),
    object: (change) =>
      withConfigErrors(async () => {
        const state = liveConfig.state()
        let planned = state.newest.document
        const edit: Parameters<typeof changeObject>[1]['edit'] = async (one) => {
          planned = planDocument(one, { document: planned, state }, registry)
          return state
        }
        await changeObject(change, { edit }, nobody)
        return previewWith(planned)
      }),
    async undo(number) {
      const { document, conflicts } = await planUndo(number, liveConfig.state().newest, liveConfig)
      return previewWith(document, conflicts)
    },
    restore: async (number) => previewWith((await loadVersion(liveConfig, number)).document),
    key: (before, after) => previewKey(before, after, options),
  }
}

/** A preview has no author, as it is not stored. */
const nobody = { author: '', credential: '', address: '' } as const

async function previewDocument(document: JsonObject, options: PreviewOptions): Promise<DocumentPreview> {
  const state = options.liveConfig.state()
  const changes = viewChanges(describeChanges(state.newest.document, document))
  try {
    const { config, shadowed } = await options.liveConfig.join(document)
    options.groups.requireUnused(listRemovedGroups(state, document))
    const effects = findEffects(await compareWith(config, document, options))
    const problems = shadowed.map(viewProblem)
    const warnings = config.warnings.map(writeConfigWarning)
    return { ok: true, problems, warnings, ...changes, ...effects }
  } catch (error) {
    const problems = problemsOf(error)
    return { ok: false, problems, warnings: [], ...changes, effects: [], more_effects: 0 }
  }
}

async function checkDocument(document: JsonObject, options: PreviewOptions): Promise<CheckView> {
  const { liveConfig, registry, groups } = options
  const state = liveConfig.state()
  try {
    const planned = planDocument(() => document, { document: state.newest.document, state }, registry)
    const { config, shadowed } = await liveConfig.join(planned)
    groups.requireUnused(listRemovedGroups(state, planned))
    const comparison = await compareWith(config, planned, options)
    return {
      ok: true,
      problems: shadowed.map(viewProblem),
      warnings: config.warnings.map(writeConfigWarning),
      ...viewChanges(describeChanges(state.newest.document, planned)),
      ...findEffects(comparison),
      ...compareNames(comparison),
    }
  } catch (error) {
    const nothing = { warnings: [], ...viewChanges([]), effects: [], more_effects: 0 }
    const problems = problemsOf(error)
    return { ok: false, problems, ...nothing, models_added: [], models_removed: [], keys: [] }
  }
}

function compareNames(comparison: Comparison): Pick<CheckView, 'models_added' | 'models_removed' | 'keys'> {
  const [before, after] = [namesIn(comparison.before), namesIn(comparison.after)]
  const keys = findKeyLosses(comparison)
  return {
    models_added: after.filter((name) => !before.includes(name)),
    models_removed: before.filter((name) => !after.includes(name)),
    keys: keys.map(({ id, name, loses }) => ({ id, name, loses: [...loses] })),
  }
}

function namesIn({ catalog }: ComparedState): readonly string[] {
  return catalog.models.map(({ name }) => name)
}

/** Compares the state in force with the one that another document would make. */
async function compareWith(
  config: Config,
  document: JsonObject,
  { liveConfig, keys, useOf, clock }: PreviewOptions,
): Promise<Comparison> {
  const state = liveConfig.state()
  const target = await liveConfig.target()
  const live = keys().filter(({ revokedAtMs }) => revokedAtMs === undefined)
  const value = mergeDocuments(state.file.file.value, document).value
  return {
    before: readLiveState(state, target, live),
    after: { config, catalog: target.preview(config), value, keys: live },
    useOf,
    nowMs: clock.nowMs(),
  }
}

function readLiveState(
  { config, file, serving }: ConfigState,
  target: Pick<ConfigTarget, 'preview'>,
  keys: readonly Key[],
): ComparedState {
  const { value } = mergeDocuments(file.file.value, serving.document)
  return { config, catalog: target.preview(config), value, keys }
}

async function previewKey(
  before: Key,
  after: Key,
  { liveConfig, useOf, clock }: PreviewOptions,
): Promise<Effects> {
  const target = await liveConfig.target()
  const live = readLiveState(liveConfig.state(), target, [before])
  return findEffects({
    useOf,
    nowMs: clock.nowMs(),
    before: live,
    after: { ...live, keys: [after] },
  })
}
