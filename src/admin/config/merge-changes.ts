import { isSameJson } from '../../config/layers/describe-changes.ts'
import {
  nameOf,
  type ObjectSection,
  objectSections,
  objectsOf,
  withObjects,
} from '../../config/source/document-objects.ts'
import type { JsonObject, JsonValue } from '../../kit/json/json.ts'

/** The base document of two changes, and the result of each change. */
export interface MergedDocuments {
  readonly base: JsonObject
  readonly mine: JsonObject
  readonly theirs: JsonObject
}

export type MergeKind = ObjectSection | 'settings'

/** An object or a setting that both sides changed, each to something else. */
export interface MergeConflict {
  readonly kind: MergeKind
  readonly name: string
  readonly mine: ChangeType
  readonly theirs: ChangeType
}

export type ChangeType = 'added' | 'changed' | 'removed'

/** Decides which of the two changes stays. */
export type ChooseSide = (conflict: MergeConflict) => 'mine' | 'theirs'

export interface MergedChanges {
  /** The document with both changes. Where they conflict, it has the chosen one. */
  readonly document: JsonObject
  readonly conflicts: readonly MergeConflict[]
}

/** Merges two changes of one document object by object. An object that only one side changed is as that side has it. */
export function mergeChanges(input: MergedDocuments, choose: ChooseSide = () => 'mine'): MergedChanges {
  const conflicts: MergeConflict[] = []
  const decide = (kind: MergeKind, name: string, values: MergedValues): JsonValue | undefined => {
    const { base, mine, theirs } = values
    if (isSameJson(mine, base) || isSameJson(mine, theirs)) return theirs
    if (isSameJson(theirs, base)) return mine
    const conflict = { kind, name, mine: typeOf(base, mine), theirs: typeOf(base, theirs) }
    conflicts.push(conflict)
    return choose(conflict) === 'mine' ? mine : theirs
  }
  let document: JsonObject = mergeSettings(input, decide)
  for (const section of objectSections)
    document = withObjects(document, section, mergeSection(section, input, decide))
  return { document, conflicts }
}

interface MergedValues {
  readonly base: JsonValue | undefined
  readonly mine: JsonValue | undefined
  readonly theirs: JsonValue | undefined
}

type Decide = (kind: MergeKind, name: string, values: MergedValues) => JsonValue | undefined

function mergeSettings({ base, mine, theirs }: MergedDocuments, decide: Decide): JsonObject {
  const sections: ReadonlySet<string> = new Set(objectSections)
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])].filter(
    (name) => !sections.has(name),
  )
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = decide('settings', name, { base: base[name], mine: mine[name], theirs: theirs[name] })
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}

/** The objects in the order of `theirs`, followed by those that only `mine` has. */
function mergeSection(
  section: ObjectSection,
  { base, mine, theirs }: MergedDocuments,
  decide: Decide,
): readonly JsonObject[] {
  const [ofBase, ofMine, ofTheirs] = [base, mine, theirs].map(
    (document) => new Map(objectsOf(document, section).map((object) => [nameOf(object), object])),
  )
  const names = [...new Set([...(ofTheirs?.keys() ?? []), ...(ofMine?.keys() ?? [])])]
  return names.flatMap((name) => {
    const values = { base: ofBase?.get(name), mine: ofMine?.get(name), theirs: ofTheirs?.get(name) }
    const chosen = decide(section, name, values)
    return chosen === values.mine && values.mine !== undefined
      ? [values.mine]
      : chosen === values.theirs && values.theirs !== undefined
        ? [values.theirs]
        : []
  })
}

function typeOf(before: JsonValue | undefined, after: JsonValue | undefined): ChangeType {
  if (before === undefined) return 'added'
  return after === undefined ? 'removed' : 'changed'
}
