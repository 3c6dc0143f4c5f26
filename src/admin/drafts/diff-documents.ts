import { isSameJson } from '../../config/layers/describe-changes.ts'
import { maskSecrets } from '../../config/secrets/mask-secrets.ts'
import { nameOf, objectSections, objectsOf } from '../../config/source/document-objects.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import type { ObjectDiff } from './draft-contract.ts'

/** The differences of two documents by object and field, secrets as they are shown. `file` owns what it has. */
export function diffDocuments(
  before: JsonObject,
  after: JsonObject,
  file: JsonObject,
): readonly ObjectDiff[] {
  const [old, next] = [listParts(before), listParts(after)]
  const [oldShown, nextShown] = [listParts(maskSecrets(before)), listParts(maskSecrets(after))]
  const owned = listParts(file)
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((id) => {
    const [from, to] = [old.get(id), next.get(id)]
    const part = to ?? from
    if (part === undefined || isSameJson(from?.value, to?.value)) return []
    const shown = { from: oldShown.get(id)?.value ?? {}, to: nextShown.get(id)?.value ?? {} }
    return [
      {
        kind: part.kind,
        name: part.name,
        change: from === undefined ? 'added' : to === undefined ? 'removed' : 'changed',
        owner: owned.has(id) ? 'file' : 'api',
        fields: diffFields({ from: from?.value ?? {}, to: to?.value ?? {} }, shown),
      } as const,
    ]
  })
}

interface DocumentPart {
  readonly kind: ObjectDiff['kind']
  readonly name: string
  readonly value: JsonObject
}

function listParts(document: JsonObject): ReadonlyMap<string, DocumentPart> {
  const objects = objectSections.flatMap((kind) =>
    objectsOf(document, kind).map((object): DocumentPart => {
      const { name: _, ...value } = object
      return { kind, name: nameOf(object), value }
    }),
  )
  const sections: ReadonlySet<string> = new Set(objectSections)
  const settings = Object.entries(document).flatMap(([name, value]): DocumentPart[] =>
    value === undefined || sections.has(name)
      ? []
      : [{ kind: 'settings', name, value: isJsonObject(value) ? value : { value } }],
  )
  return new Map([...objects, ...settings].map((part) => [`${part.kind} ${part.name}`, part]))
}

interface Sides {
  readonly from: JsonObject
  readonly to: JsonObject
}

/** A changed secret may look the same when it is masked. It is listed anyway. */
function diffFields({ from, to }: Sides, shown: Sides): ObjectDiff['fields'] {
  const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  return fields
    .filter((field) => !isSameJson(from[field], to[field]))
    .map((field) => ({
      field,
      ...showValue('before', shown.from[field]),
      ...showValue('after', shown.to[field]),
    }))
}

type Shown = ObjectDiff['fields'][number]['before']

function showValue(
  side: 'before' | 'after',
  value: JsonValue | undefined,
): Partial<Record<'before' | 'after', Shown>> {
  return value === undefined ? {} : { [side]: structuredClone(value) as Shown }
}
