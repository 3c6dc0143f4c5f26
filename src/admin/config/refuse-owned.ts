import type { GatewayError } from '../../canonical/failure.ts'
import { type RefusedKind, refuse } from '../../canonical/refusal.ts'
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
    throw ownedByFile({ kind: 'setting', name }, name)
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
    throw ownedByFile({ kind: kind.code, name }, kind.pathOf(next, name))
  }
}

interface OwnedByFile {
  readonly kind: RefusedKind
  readonly name: string
}

export function ownedByFile({ kind, name }: OwnedByFile, param: string): GatewayError {
  const word = kind === 'setting' ? 'section' : kind.replace('_', ' ')
  const message = `The ${word} "${name}" belongs to the configuration file. Change it there and reload, or take it out of the file first.`
  return refuse('owned_by_file', { param, message, fact: { code: 'owned_by_file', values: { kind, name } } })
}
