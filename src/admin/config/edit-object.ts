import { GatewayError } from '../../canonical/failure.ts'
import { type RefusedKind, refuse } from '../../canonical/refusal.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { mergePatch } from '../../kit/json/merge-patch.ts'
import { unknownName } from '../../kit/schema/input-fact.ts'
import { refuseField } from '../view-problem.ts'
import type { ConfigAuthor, ConfigOperations } from './config-operations.ts'
import type { ConfigState } from './live-config.ts'
import type { ObjectKind } from './object-kind.ts'
import { ownedByFile } from './refuse-owned.ts'

/** The operations on single channels or models. Each resolves with the new state. */
export interface ObjectEditor {
  create(object: JsonObject, by: ConfigAuthor): Promise<ConfigState>
  /** Stores the whole object. The result says whether it is new. */
  replace(name: string, object: JsonObject, by: ConfigAuthor): Promise<ReplacedObject>
  /** Applies a merge patch (RFC 7396): members replace, null removes. */
  patch(name: string, patch: JsonObject, by: ConfigAuthor): Promise<ConfigState>
  remove(name: string, by: ConfigAuthor): Promise<ConfigState>
}

export interface ReplacedObject {
  readonly isNew: boolean
  readonly state: ConfigState
}

export function createObjectEditor(
  kind: ObjectKind,
  operations: Pick<ConfigOperations, 'edit'>,
): ObjectEditor {
  return new ConfigObjectEditor(kind, operations)
}

class ConfigObjectEditor implements ObjectEditor {
  readonly #kind: ObjectKind
  readonly #operations: Pick<ConfigOperations, 'edit'>

  constructor(kind: ObjectKind, operations: Pick<ConfigOperations, 'edit'>) {
    this.#kind = kind
    this.#operations = operations
  }

  async create(input: JsonObject, by: ConfigAuthor): Promise<ConfigState> {
    const object = writable(input, this.#kind)
    const name = readName(object['name'])
    return this.#edit(name, by, (shown, file) => {
      if (this.#kind.find(file, name) !== undefined)
        throw refuse('owned_by_file', {
          param: 'name',
          message: `There is a ${this.#kind.word} named "${name}" already, in the configuration file. Choose another name, or change it there.`,
          fact: { code: 'owned_by_file', values: { kind: this.#kind.code, name } },
        })
      if (this.#kind.find(shown, name) === undefined) return this.#kind.put(shown, object)
      throw nameInUse(this.#kind, name)
    })
  }

  async replace(name: string, input: JsonObject, by: ConfigAuthor): Promise<ReplacedObject> {
    const object = { ...writable(input, this.#kind), name: requireSameName(input['name'], name) }
    let isNew = false
    const state = await this.#edit(name, by, (shown) => {
      isNew = this.#kind.find(shown, name) === undefined
      return this.#kind.put(shown, object)
    })
    return { isNew, state }
  }

  async patch(name: string, patch: JsonObject, by: ConfigAuthor): Promise<ConfigState> {
    requireSameName(patch['name'], name)
    return this.#edit(name, by, (shown, file) =>
      this.#kind.put(shown, writable(mergePatch(this.#findOwn(name, shown, file), patch), this.#kind)),
    )
  }

  async remove(name: string, by: ConfigAuthor): Promise<ConfigState> {
    return this.#edit(name, by, (shown, file) => {
      this.#findOwn(name, shown, file)
      return this.#kind.remove(shown, name)
    })
  }

  async #edit(
    name: string,
    by: ConfigAuthor,
    change: (shown: JsonObject, file: JsonObject) => JsonObject,
  ): Promise<ConfigState> {
    let prefix = ''
    try {
      return await this.#operations.edit((shown, { file }) => {
        const next = change(shown, file.file.value)
        prefix = this.#kind.pathOf(next, name)
        return next
      }, by)
    } catch (error) {
      throw error instanceof GatewayError ? shortenPaths(error, prefix) : error
    }
  }

  /** Finds an object that the admin API owns. Refuses an object of the file. */
  #findOwn(name: string, shown: JsonObject, file: JsonObject): JsonObject {
    const found = this.#kind.find(shown, name)
    if (found !== undefined) return found
    if (this.#kind.find(file, name) !== undefined) throw ownedByFile({ kind: this.#kind.code, name }, 'name')
    throw noSuchObject(this.#kind, name)
  }
}

/** The refusal of a new object under a name in use. */
export function nameInUse(
  { code, word }: { readonly code: RefusedKind; readonly word: string },
  name: string,
): GatewayError {
  return refuse('name_taken', {
    param: 'name',
    message: `There is a ${word} named "${name}" already. Choose another name, or change that one.`,
    fact: { code: 'name_in_use', values: { kind: code, name } },
  })
}

export function noSuchObject(
  { code, word, path }: Pick<ObjectKind, 'code' | 'word' | 'path'>,
  name: string,
): GatewayError {
  const message = `There is no ${word} ${JSON.stringify(name)}. GET /admin/v1/${path} lists them.`
  return refuse('config_object_not_found', {
    param: 'name',
    message,
    fact: unknownName(code, name, undefined),
  })
}

/** The object without the fields that only responses have, and without `disabled: false` of a channel. */
function writable(object: JsonObject, { readOnlyFields }: ObjectKind): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(
      ([name, value]) => !readOnlyFields.includes(name) && !(name === 'disabled' && value === false),
    ),
  )
}

function readName(name: JsonValue | undefined): string {
  if (typeof name === 'string' && name !== '') return name
  const message = 'The field "name" is required.'
  throw refuseField('missing_field', { param: 'name', message, fact: { code: 'required', values: {} } })
}

/** The name in the path. A different name in the body is refused. */
export function requireSameName(given: JsonValue | undefined, name: string): string {
  if (given === undefined || given === name) return name
  throw refuseField('invalid_field', {
    param: 'name',
    message: '"name": must be the name in the path; to rename, make a new one and delete this one.',
    fact: { code: 'fixed_name', values: {} },
  })
}

/** Makes paths relative to the object that was sent. Paths outside it stay unchanged. */
function shortenPaths(error: GatewayError, prefix: string): GatewayError {
  const { code, message, param, problems } = error.failure
  if (code !== 'config_invalid' || param === undefined || problems === undefined || prefix === '')
    return error
  const shorten = (path: string) => (path.startsWith(`${prefix}.`) ? path.slice(prefix.length + 1) : path)
  const shortened = problems.map((problem) => {
    const path = String(problem['path'])
    return { ...problem, path: path === prefix && isOfName(problem['fact']) ? 'name' : shorten(path) }
  })
  const isOfFirst = param === prefix && shortened[0]?.path === 'name'
  return new GatewayError(code, {
    message: isOfFirst ? message.replace(prefix, 'name') : message.replace(`${prefix}.`, ''),
    param: isOfFirst ? 'name' : shorten(param),
    problems: shortened,
  })
}

/** Whether a refusal is about the name of an object, which is a key of its section and thus has the object's path. */
function isOfName(fact: JsonValue | undefined): boolean {
  return isJsonObject(fact) && (fact['code'] === 'wrong_format' || fact['code'] === 'reserved_name')
}
