import type { JsonObject } from '../../kit/json/json.ts'
import type { ConfigOwner, ConfigProblem } from '../config-error.ts'
import {
  isListSection,
  nameOf,
  type ObjectSection,
  objectSections,
  objectsOf,
  withObjects,
} from '../source/document-objects.ts'
import type { PathProblem } from '../source/substitute-variables.ts'
import { writePath } from '../source/write-path.ts'
import { apiSettings } from './api-document.ts'
import { labelOf } from './describe-changes.ts'

export interface MergedDocument {
  readonly value: JsonObject
  /** The parts of the admin API's document that the file overrides. */
  readonly shadowed: readonly ConfigProblem[]
  /** Maps a problem's path in the merged document to the document that it came from. */
  locate(problem: PathProblem): ConfigProblem
}

/** Joins the two documents object by object. The file wins a conflict. Both documents are valid by themselves. */
export function mergeDocuments(file: JsonObject, api: JsonObject): MergedDocument {
  const settings = apiSettings.flatMap((name) =>
    file[name] === undefined && api[name] !== undefined ? [[name, api[name]] as const] : [],
  )
  const sections = new Map(objectSections.map((section) => [section, joinSection(section, file, api)]))
  let value: JsonObject = { ...file, ...Object.fromEntries(settings) }
  for (const [section, { own, added }] of sections)
    value = withObjects(value, section, [...own, ...added.map(({ object }) => object)])
  return {
    value,
    shadowed: findShadowed(file, api),
    locate: (problem) => locate(problem, sections),
  }
}

interface JoinedSection {
  readonly own: readonly JsonObject[]
  readonly ownNames: ReadonlySet<string>
  /** The admin API's objects that the file does not have, with their indexes in the API's own list. */
  readonly added: readonly { readonly object: JsonObject; readonly index: number }[]
}

function joinSection(section: ObjectSection, file: JsonObject, api: JsonObject): JoinedSection {
  const own = objectsOf(file, section)
  const ownNames = new Set(own.map(nameOf))
  const added = objectsOf(api, section)
    .map((object, index) => ({ object, index }))
    .filter(({ object }) => !ownNames.has(nameOf(object)))
  return { own, ownNames, added }
}

function locate(
  { path, message, fact }: PathProblem,
  sections: ReadonlyMap<ObjectSection, JoinedSection>,
): ConfigProblem {
  const [name, step, ...rest] = path
  const inDocument = (owner: ConfigOwner) => ({ path: writePath(path), message, fact, owner })
  const section = objectSections.find((each) => each === name)
  const joined = section === undefined ? undefined : sections.get(section)
  if (section === undefined || joined === undefined) return inDocument('file')
  if (!isListSection(section))
    return inDocument(typeof step !== 'string' || joined.ownNames.has(step) ? 'file' : 'api')
  const origin = typeof step === 'number' ? joined.added[step - joined.own.length] : undefined
  if (origin === undefined) return inDocument('file')
  return { path: writePath([section, origin.index, ...rest]), message, fact, owner: 'api' }
}

function findShadowed(file: JsonObject, api: JsonObject): readonly ConfigProblem[] {
  const shadow = (path: readonly (string | number)[], what: string): ConfigProblem => ({
    path: writePath(path),
    message: `is not used: the configuration file has ${what} too, and the file wins; remove one of the two`,
    fact: { code: 'overridden_by_file', values: {} },
    owner: 'api',
  })
  const ofObjects = objectSections.flatMap((section) => {
    const ownNames = new Set(objectsOf(file, section).map(nameOf))
    return objectsOf(api, section).flatMap((object, index) => {
      const name = nameOf(object)
      const path = [section, isListSection(section) ? index : name]
      return ownNames.has(name) ? [shadow(path, labelOf(section, name))] : []
    })
  })
  const ofSettings = apiSettings
    .filter((name) => file[name] !== undefined && api[name] !== undefined)
    .map((name) => shadow([name], `the section "${name}"`))
  return [...ofObjects, ...ofSettings]
}
