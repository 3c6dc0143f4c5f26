import { GatewayError } from '../../canonical/failure.ts'
import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import { mergePatch } from '../../kit/json/merge-patch.ts'
import type { ConfigOperations, Requester } from './config-operations.ts'
import type { ObjectKind } from './object-kind.ts'
import { ownedByFile } from './refuse-owned.ts'

/** What can be done with the channels, or with the models, one by one. */
export interface ObjectEditor {
  create(object: JsonObject, requester: Requester): Promise<void>
  /** Puts the whole object in place; answers whether there was none. */
  replace(name: string, object: JsonObject, requester: Requester): Promise<boolean>
  /** RFC 7396: members replace, null takes away. */
  patch(name: string, patch: JsonObject, requester: Requester): Promise<void>
  remove(name: string, requester: Requester): Promise<void>
}

export function createObjectEditor(kind: ObjectKind, operations: ConfigOperations): ObjectEditor {
  const { word } = kind

  async function edit(
    name: string,
    requester: Requester,
    change: (shown: JsonObject, file: JsonObject) => JsonObject,
  ) {
    let prefix = ''
    try {
      await operations.edit((shown, { file }) => {
        const next = change(shown, file.file.value)
        prefix = kind.pathOf(next, name)
        return next
      }, requester)
    } catch (error) {
      throw error instanceof GatewayError ? shortenPaths(error, prefix) : error
    }
  }

  /** The admin API's own; refuses the file's. */
  function demand(name: string, shown: JsonObject, file: JsonObject): JsonObject {
    const found = kind.find(shown, name)
    if (found !== undefined) return found
    if (kind.find(file, name) !== undefined) throw ownedByFile(`The ${word} "${name}"`, 'name')
    const message = `There is no ${word} ${JSON.stringify(name)}. GET /admin/v1/${word}s lists those that there are.`
    throw new GatewayError('config_object_not_found', { param: 'name', message })
  }

  return {
    async create(input, requester) {
      const object = writable(input)
      const name = readName(object['name'])
      await edit(name, requester, (shown) => {
        if (kind.find(shown, name) === undefined) return kind.put(shown, object)
        const message = `There is a ${word} named "${name}" already. Choose another name, or change that one.`
        throw new GatewayError('name_taken', { param: 'name', message })
      })
    },
    async replace(name, input, requester) {
      const object = { ...writable(input), name: demandSameName(input['name'], name) }
      let isNew = false
      await edit(name, requester, (shown) => {
        isNew = kind.find(shown, name) === undefined
        return kind.put(shown, object)
      })
      return isNew
    },
    async patch(name, patch, requester) {
      demandSameName(patch['name'], name)
      await edit(name, requester, (shown, file) =>
        kind.put(shown, writable(mergePatch(demand(name, shown, file), patch))),
      )
    },
    async remove(name, requester) {
      await edit(name, requester, (shown, file) => {
        demand(name, shown, file)
        return kind.remove(shown, name)
      })
    },
  }
}

/** Without what answers add: who owns it, and that it is not disabled. */
function writable({ owner: _owner, disabled, ...object }: JsonObject): JsonObject {
  return disabled === undefined || disabled === false ? object : { ...object, disabled }
}

function readName(name: JsonValue | undefined): string {
  if (typeof name === 'string' && name !== '') return name
  throw new GatewayError('missing_field', { param: 'name', message: 'The field "name" is required.' })
}

function demandSameName(given: JsonValue | undefined, name: string): string {
  if (given === undefined || given === name) return name
  throw new GatewayError('invalid_field', {
    param: 'name',
    message: '"name": must be the name in the path; to rename, make a new one and delete this one.',
  })
}

/** Paths within the object that was sent; those elsewhere stay as they are. */
function shortenPaths(error: GatewayError, prefix: string): GatewayError {
  const { code, message, param, problems } = error.failure
  if (code !== 'config_invalid' || param === undefined || problems === undefined || prefix === '')
    return error
  const shorten = (path: string) => (path.startsWith(`${prefix}.`) ? path.slice(prefix.length + 1) : path)
  return new GatewayError(code, {
    message: message.replace(`${prefix}.`, ''),
    param: shorten(param),
    problems: problems.map((problem) => ({ ...problem, path: shorten(String(problem['path'])) })),
  })
}
