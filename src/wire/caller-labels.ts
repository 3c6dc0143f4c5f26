import { MAX_TAG_VALUE_CHARACTERS, type Tags, tagName, tagValue } from '../canonical/tags.ts'
import { isJsonObject, type JsonObject } from '../kit/json/json.ts'

/** The labels in a request's body that say whose it is and what for. A key decides whether they count. */
export interface CallerLabels {
  /** The caller's own customer; undefined where the request names none. */
  readonly endUser: string | undefined
  /** The tags in the format's own map. */
  readonly tags: Tags
}

/** The most tags of a request; none has use for more. */
export const MAX_CALLER_TAGS = 64

/**
 * A customer's id as the value of a tag. What no value may hold is changed and the rest cut off, rather than passed
 * over: a customer with an odd name would else have no budget.
 */
export function readEndUser(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = String(value)
    .slice(0, 2 * MAX_TAG_VALUE_CHARACTERS)
    .toWellFormed()
    .replace(/\p{C}/gu, '\ufffd')
    .trim()
  const cut = [...text].slice(0, MAX_TAG_VALUE_CHARACTERS).join('').trim()
  return tagValue.test(cut) ? cut : undefined
}

/** The members of the map that can be tags: the provider has its own rules for what the map holds. */
export function readTags(map: unknown): Tags {
  if (!isJsonObject(map)) return {}
  return Object.fromEntries(tagsIn(map))
}

function tagsIn(map: JsonObject): readonly (readonly [string, string])[] {
  const found: (readonly [string, string])[] = []
  for (const name in map) {
    const value = map[name]
    if (found.length === MAX_CALLER_TAGS) break
    if (typeof value === 'string' && tagName.test(name) && tagValue.test(value)) found.push([name, value])
  }
  return found
}
