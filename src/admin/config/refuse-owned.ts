import { GatewayError } from '../../canonical/failure.ts'
import { apiSettings } from '../../config/layers/api-document.ts'
import { isSameJson } from '../../config/layers/describe-changes.ts'
import { nameOf } from '../../config/source/document-objects.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { allKinds, type ObjectKind } from './object-kind.ts'

/**
 * Refuses a change of an object that the file owns. Objects that were in the document before the file took them over
 * may stay. Such a clash is reported as a problem and blocks no other change.
 */
export function refuseOwned(next: JsonObject, before: JsonObject, file: JsonObject): void {
  for (const kind of allKinds) refuseObjects(kind, next, { before, file })
  for (const name of apiSettings) {
    if (file[name] === undefined || next[name] === undefined || isSameJson(next[name], before[name])) continue
    throw ownedByFile(`The section "${name}"`, name)
  }
}

function refuseObjects(
  kind: ObjectKind,
  next: JsonObject,
  { before, file }: { readonly before: JsonObject; readonly file: JsonObject },
): void {
  for (const object of kind.list(next)) {
    const name = nameOf(object)
    if (kind.find(file, name) === undefined || isSameJson(object, kind.find(before, name))) continue
    throw ownedByFile(`The ${kind.word} "${name}"`, kind.pathOf(next, name))
  }
}

export function ownedByFile(what: string, param: string): GatewayError {
  const message = `${what} belongs to the configuration file. Change it there and reload, or take it out of the file first.`
  return new GatewayError('owned_by_file', { param, message })
}
