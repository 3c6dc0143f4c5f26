import { isJsonObject, type JsonObject, objectsIn } from '../../kit/json/json.ts'

/** The sections of a document with named objects. The file or the admin API owns each object. */
export const objectSections = ['channels', 'models', 'groups', 'users', 'budgets'] as const

export type ObjectSection = (typeof objectSections)[number]

/** Lists of objects that contain their own names. The other sections are maps by name. */
const listSections: readonly ObjectSection[] = ['channels', 'budgets']

export function isListSection(section: ObjectSection): boolean {
  return listSections.includes(section)
}

/**
 * The objects of a section in their order, each with its name as a member. Empty where the document has no such
 * section.
 */
export function objectsOf(document: JsonObject, section: ObjectSection): readonly JsonObject[] {
  const value = document[section]
  if (isListSection(section)) return objectsIn(value)
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, object]) =>
    isJsonObject(object) ? [{ ...object, name }] : [],
  )
}

/** Puts these objects into a section of the document. Without objects, the section is removed. */
export function withObjects(
  document: JsonObject,
  section: ObjectSection,
  objects: readonly JsonObject[],
): JsonObject {
  const { [section]: _, ...rest } = document
  if (objects.length === 0) return rest
  return { ...rest, [section]: isListSection(section) ? objects : mapByName(objects) }
}

function mapByName(objects: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(objects.map(({ name, ...object }) => [nameOf({ name }), object]))
}

/** The entries of a document's `channels`. Empty where it has none. */
export function channelsOf(document: JsonObject): readonly JsonObject[] {
  return objectsOf(document, 'channels')
}

/** The object's name. Empty where it has no name or the name is not a text. */
export function nameOf({ name }: JsonObject): string {
  return typeof name === 'string' ? name : ''
}
