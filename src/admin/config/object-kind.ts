import {
  isListSection,
  nameOf,
  type ObjectSection,
  objectSections,
  objectsOf,
  withObjects,
} from '../../config/source/document-objects.ts'
import { writePath } from '../../config/source/write-path.ts'
import type { JsonObject } from '../../kit/json/json.ts'

export type ObjectKindCode = 'channel' | 'model' | 'group' | 'user_limit' | 'budget'

/** A kind of named object that a configuration document holds, and how to reach one. */
export interface ObjectKind {
  readonly section: ObjectSection
  /** The name of one object in messages. */
  readonly word: string
  /** The same name in facts. */
  readonly code: ObjectKindCode
  /** The path of the routes of the kind below `/admin/v1`. */
  readonly path: string
  /** Fields that only responses have and nobody writes. */
  readonly readOnlyFields: readonly string[]
  /** The object with its name in it. */
  find(document: JsonObject, name: string): JsonObject | undefined
  list(document: JsonObject): readonly JsonObject[]
  /** Replaces the object of the same name, or is appended. */
  put(document: JsonObject, object: JsonObject): JsonObject
  remove(document: JsonObject, name: string): JsonObject
  pathOf(document: JsonObject, name: string): string
}

interface KindNames {
  readonly code: ObjectKindCode
  readonly path: string
  readonly readOnlyFields?: readonly string[]
}

function createKind(section: ObjectSection, { code, path, readOnlyFields = [] }: KindNames): ObjectKind {
  const list = (document: JsonObject) => objectsOf(document, section)
  const indexOf = (document: JsonObject, name: string) =>
    list(document).findIndex((object) => nameOf(object) === name)
  return {
    section,
    code,
    word: code.replace('_', ' '),
    path,
    readOnlyFields: ['owner', ...readOnlyFields],
    list,
    find: (document, name) => list(document).find((object) => nameOf(object) === name),
    put(document, object) {
      const objects = list(document)
      const index = indexOf(document, nameOf(object))
      return withObjects(document, section, index === -1 ? [...objects, object] : objects.with(index, object))
    },
    remove: (document, name) =>
      withObjects(
        document,
        section,
        list(document).filter((object) => nameOf(object) !== name),
      ),
    pathOf: (document, name) => writePath([section, isListSection(section) ? indexOf(document, name) : name]),
  }
}

export const objectKinds: Readonly<Record<ObjectSection, ObjectKind>> = {
  channels: createKind('channels', { code: 'channel', path: 'channels' }),
  models: createKind('models', { code: 'model', path: 'models' }),
  groups: createKind('groups', {
    code: 'group',
    path: 'groups',
    readOnlyFields: ['members', 'managers', 'keys', 'capture'],
  }),
  users: createKind('users', { code: 'user_limit', path: 'user-limits' }),
  budgets: createKind('budgets', { code: 'budget', path: 'budgets' }),
}

export const allKinds: readonly ObjectKind[] = objectSections.map((section) => objectKinds[section])
