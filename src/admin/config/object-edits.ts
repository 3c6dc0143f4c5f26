import type { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { apiSettings } from '../../config/layers/api-document.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { mergePatch } from '../../kit/json/merge-patch.ts'
import type { PreviewObject } from './config-contract.ts'
import type { ConfigAuthor, ConfigOperations } from './config-operations.ts'
import { alertParts, editAlertPart, isAlertPart } from './edit-alert-part.ts'
import { createObjectEditor, nameInUse, requireSameName } from './edit-object.ts'
import type { ConfigState } from './live-config.ts'
import { allKinds, type ObjectKind } from './object-kind.ts'

/** A change of one object or setting. It may be applied at once, added to a draft or only previewed. */
export interface ObjectChange {
  readonly kind: PreviewObject['kind']
  readonly name: string
  readonly change: PreviewObject['change']
  readonly object: JsonObject
}

/** Makes the change through `edit`, in the same way as the routes of the object's kind. Resolves with the new state. */
export async function changeObject(
  { kind, name, change, object }: ObjectChange,
  operations: Pick<ConfigOperations, 'edit'>,
  by: ConfigAuthor,
): Promise<ConfigState> {
  if (kind === 'settings') return changeSetting({ name, change, object }, operations, by)
  if (isAlertPart(kind))
    return operations.edit((shown) => editAlertPart(shown, kind, { name, change, object }), by)
  const editor = createObjectEditor(findKind(kind), operations)
  switch (change) {
    case 'create':
      return editor.create({ ...object, name: requireSameName(object['name'], name) }, by)
    case 'replace':
      return (await editor.replace(name, object, by)).state
    case 'patch':
      return editor.patch(name, object, by)
    case 'remove':
      return editor.remove(name, by)
  }
}

/** The kind by the name of its routes. */
export function findKind(path: string): ObjectKind {
  const found = allKinds.find((kind) => kind.path === path)
  if (found === undefined) throw noSuchKind(path)
  return found
}

function noSuchKind(path: string): GatewayError {
  const known = [...allKinds.map((kind) => kind.path), 'settings', ...alertParts]
  const message = `There are no ${JSON.stringify(path)} in the configuration. There are ${known.join(', ')}.`
  return refuse('config_object_not_found', {
    param: 'kind',
    message,
    fact: { code: 'unknown_value', values: { values: known } },
  })
}

async function changeSetting(
  { name, change, object }: Omit<ObjectChange, 'kind'>,
  operations: Pick<ConfigOperations, 'edit'>,
  by: ConfigAuthor,
): Promise<ConfigState> {
  if (!apiSettings.some((setting) => setting === name)) throw noSuchSetting(name)
  const { value } = object
  if (change !== 'remove' && value === undefined) {
    const message = 'The field "value" is required: what the setting shall be.'
    throw refuse('missing_field', { param: 'value', message, fact: { code: 'required', values: {} } })
  }
  return operations.edit((shown) => {
    const { [name]: before, ...rest } = shown
    if (change === 'remove' || value === undefined) return rest
    if (change === 'create' && before !== undefined)
      throw nameInUse({ code: 'setting', word: 'setting' }, name)
    return { ...rest, [name]: change === 'patch' ? patchValue(before, value) : value }
  }, by)
}

/** Applies a merge patch (RFC 7396). A patch that is not a map replaces the whole value. */
function patchValue(before: JsonValue | undefined, patch: JsonValue): JsonValue {
  return isJsonObject(patch) ? mergePatch(isJsonObject(before) ? before : {}, patch) : patch
}

function noSuchSetting(name: string): GatewayError {
  const message = `${JSON.stringify(name)} is no setting of this API, which has ${apiSettings.join(', ')}. All others are in the configuration file.`
  return refuse('config_object_not_found', {
    param: 'name',
    message,
    fact: { code: 'unknown_value', values: { values: apiSettings } },
  })
}
