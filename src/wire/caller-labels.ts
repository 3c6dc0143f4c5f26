import { MAX_TAG_VALUE_CHARACTERS, type Tags, tagName, tagValue } from '../canonical/tags.ts'
import { isJsonObject, type JsonObject } from '../kit/json/json.ts'

/**
 * The labels in a request's body that name its end user and its tags. The settings of the key decide whether they
 * apply.
 */
export interface CallerLabels {
  /** The caller's own customer; undefined where the request does not name one. */
  readonly endUser: string | undefined
  /** The tags in the map that the format has for them. */
  readonly tags: Tags
}

/** The maximum number of tags in a request; no caller needs more. */
export const MAX_CALLER_TAGS = 64

/**
 * Turns a customer's ID into the value of a tag. Characters that a tag cannot hold are replaced, and a long ID is cut.
 * The ID is not ignored, since a customer with an odd name would then have no budget.
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

/** Returns the members of the map that can be tags. Others are skipped: the provider has its own rules for the map. */
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
