import type { ConfigProblem } from '../../config/config-error.ts'
import { writeConfigWarning } from '../../config/config-warning.ts'
import { apiSettings } from '../../config/layers/api-document.ts'
import { maskSecrets, maskTexts } from '../../config/secrets/mask-secrets.ts'
import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import { writeTime } from '../../kit/time/write-time.ts'
import { readFact } from '../audit/audit-fact.ts'
import { viewActor } from '../audit/view-actor.ts'
import { viewFact } from '../view-problem.ts'
import type { ChangeFields, ChannelView, ConfigView, ObjectView, VersionView } from './config-contract.ts'
import type { ConfigVersion } from './config-version-store.ts'
import type { ConfigState } from './live-config.ts'
import { type ObjectKind, objectKinds } from './object-kind.ts'

type Owner = ChannelView['owner']

export function viewConfig(state: ConfigState): ConfigView {
  const { newest, serving, config, problems } = state
  return {
    version: newest.number,
    serving: serving.number,
    document: cloneJson(maskSecrets(newest.document)),
    effective: {
      channels: listChannels(state),
      models: listObjects(objectKinds.models, state),
      groups: listObjects(objectKinds.groups, state),
      users: listObjects(objectKinds.users, state),
      budgets: listObjects(objectKinds.budgets, state),
      settings: listSettings(state),
    },
    problems: problems.map(viewProblem),
    warnings: config.warnings.map(writeConfigWarning),
  }
}

export function listChannels(state: ConfigState): ChannelView[] {
  return listOwned(objectKinds.channels, state).map(viewChannel)
}

/** The objects of a kind that are in force, the file's first. */
export function listObjects(kind: ObjectKind, state: ConfigState): ObjectView[] {
  return listOwned(kind, state).map(({ object, owner }) => ({
    ...cloneJson(object),
    name: textOf(object['name']),
    owner,
  }))
}

function viewChannel({ object, owner }: Owned): ChannelView {
  return {
    ...cloneJson(object),
    name: textOf(object['name']),
    owner,
    disabled: object['disabled'] === true,
    provider: textOf(object['provider']),
  }
}

interface Owned {
  readonly object: JsonObject
  readonly owner: Owner
}

/** Objects with their secrets masked, the file's first. */
function listOwned(kind: ObjectKind, { file, serving }: ConfigState): readonly Owned[] {
  const { value, fileTexts } = file.file
  const own = kind.list(maskTexts(maskSecrets(value), fileTexts))
  const names = new Set(own.map(({ name }) => name))
  const made = kind.list(maskSecrets(serving.document)).filter(({ name }) => !names.has(name))
  return [
    ...own.map((object): Owned => ({ object, owner: 'file' })),
    ...made.map((object): Owned => ({ object, owner: 'api' })),
  ]
}

/** The settings that the file or the document of the admin API has, as they are written there. */
export function listSettings({ file, serving }: ConfigState): ConfigView['effective']['settings'] {
  const [ofFile, ofApi] = [maskSecrets(file.file.value), maskSecrets(serving.document)]
  const found = apiSettings.flatMap((name) => {
    const own = ofFile[name]
    const value = own === undefined ? ofApi[name] : maskTexts(own, file.file.fileTexts)
    if (value === undefined) return []
    const owner: Owner = own === undefined ? 'api' : 'file'
    return [[name, { owner, value: cloneValue(value) }] as const]
  })
  return Object.fromEntries(found)
}

export function viewProblem(problem: ConfigProblem): ConfigView['problems'][number] {
  const { path, message, owner } = problem
  const fact = viewFact(problem)
  return { path, message, ...(fact && { fact }), ...(owner && { owner }) }
}

export function viewVersion(version: ConfigVersion, { newest, serving }: ConfigState): VersionView {
  const { number, createdAtMs, author, credential, address, action } = version
  const isNewest = number === newest.number
  return {
    version: number,
    created_at: writeTime(createdAtMs),
    author,
    credential,
    address,
    actor: viewActor(version),
    action,
    comment: version.comment ?? null,
    undoes: undoneBy(version),
    restored_from: version.restoredFrom ?? null,
    status: number === serving.number ? 'serving' : isNewest ? 'not_usable' : 'superseded',
    ...viewChanges(version.changes),
  }
}

/** The number in the comment that `undoVersion` gives a version without a comment of its own. */
function undoneBy({ action, comment }: ConfigVersion): number | null {
  const [, number] = /^undoes version (\d+)$/.exec(comment ?? '') ?? []
  return action === 'undo' && number !== undefined ? Number(number) : null
}

/** Versions have their changes stored as sentences, so the changes of previews are read from sentences as well. */
export function viewChanges(changes: readonly string[]): ChangeFields {
  return { changes: [...changes], change_facts: changes.map(readFact) }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

type Json = ConfigView['document'][string]

/** The same in the contract's own, changeable type. */
function cloneJson(object: JsonObject): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, cloneValue(value)] as const],
    ),
  )
}

function cloneValue(value: JsonValue): Json {
  if (typeof value !== 'object' || value === null) return value
  return isList(value) ? value.map(cloneValue) : cloneJson(value)
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
