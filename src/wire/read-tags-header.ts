import { GatewayError } from '../canonical/failure.ts'
import { type Tags, tagName, tagValue } from '../canonical/tags.ts'
import { tryDecodeUri } from '../kit/bytes/try-decode-uri.ts'
import { MAX_CALLER_TAGS } from './caller-labels.ts'

/** The header in which callers send tags, such as `team=search, feature=chat`. */
export const TAGS_HEADER = 'x-headgate-tags'

/**
 * Reads the tags of the header. A value with a comma or with characters beyond ASCII must be percent-encoded. Throws
 * `invalid_field` where the text is not a list of tags.
 */
export function readTagsHeader(text: string): Tags {
  const tags = new Map<string, string>()
  for (const item of text.split(',')) {
    if (item.trim() === '') continue
    const [name, value] = readItem(item)
    if (tags.has(name)) throw refused(`names "${name}" twice`)
    tags.set(name, value)
    if (tags.size > MAX_CALLER_TAGS) throw refused(`names more than ${MAX_CALLER_TAGS} tags`)
  }
  return Object.fromEntries(tags)
}

function readItem(item: string): readonly [string, string] {
  const equals = item.indexOf('=')
  if (equals === -1) throw refused('has an entry without "="')
  const name = item.slice(0, equals).trim()
  const value = tryDecodeUri(item.slice(equals + 1).trim())
  if (!tagName.test(name))
    throw refused('has a name that is not 1 to 64 lower-case letters, digits or ". _ -"')
  if (value === undefined || !tagValue.test(value))
    throw refused(`has a value for "${name}" that is not 1 to 256 printable characters in percent-encoding`)
  return [name, value]
}

function refused(what: string): GatewayError {
  return new GatewayError('invalid_field', {
    param: TAGS_HEADER,
    message: `The header "${TAGS_HEADER}" ${what}. Write it as "team=search, feature=chat".`,
  })
}
